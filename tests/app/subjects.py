"""What the tests of the page open."""

import struct
import zlib

import numpy as np

from sidecut.app.state import State
from sidecut.app.work import Ticket

HEIGHT, WIDTH = 40, 60


def halves(noise=6.0):
    """A small photograph: dark on the left, light on the right, a red square within."""
    rng = np.random.default_rng(0)
    picture = np.full((HEIGHT, WIDTH, 3), 60.0)
    picture[:, WIDTH // 2 :] = 180
    picture[10:25, 38:52] = (220, 40, 40)
    picture += rng.normal(0, noise, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


def opened(subject):
    state = State()
    state.settle(state.open(subject)(Ticket()))
    return state


def answered(state):
    state.show(state.answer_job()(Ticket()))
    return state.answer.labels


def claiming_png(width, height):
    """A small file whose head claims an image of this size."""

    def chunk(kind, content):
        crc = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + crc

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(99)))
