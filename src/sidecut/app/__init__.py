"""The interactive page: a person draws, the clustering follows. Needs `pip install 'sidecut[app]'`.

`state` and what it uses know nothing of Bokeh; `page` and the views are figures and callbacks;
`server` starts them.
"""
