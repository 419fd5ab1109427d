"""Text that comes from outside, made fit to be written down."""


def storable(text: str) -> str:
    """The text without halves of characters: models and JSON can spell them, no file can hold them."""
    return text.encode("utf-8", "replace").decode("utf-8")
