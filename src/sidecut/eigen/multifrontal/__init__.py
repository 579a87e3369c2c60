"""Dissect a graph, then factor its matrix front by front: for large, flat graphs."""
