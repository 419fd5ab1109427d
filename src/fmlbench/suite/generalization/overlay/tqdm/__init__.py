"""A silent stand-in for tqdm, which spuco imports everywhere and the environment does not have."""


class tqdm:  # noqa: N801 - the name spuco knows
    """Iterate without showing anything."""

    def __init__(self, iterable=(), *_args, **_options):
        self.iterable = iterable

    def __iter__(self):
        return iter(self.iterable)

    def __len__(self):
        return len(self.iterable)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return None

    def update(self, *_args):
        """Show nothing."""

    def set_description(self, *_args, **_options):
        """Show nothing."""

    def set_postfix(self, *_args, **_options):
        """Show nothing."""
