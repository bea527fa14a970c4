"""Tests of the data set loaders, with small archives and a failing web server."""
