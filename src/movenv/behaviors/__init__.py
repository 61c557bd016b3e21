"""The built-in behaviors, one a file. They come in through the same door as anybody's."""
