"""Privacy Meter's wide residual networks, of a few depths and widths."""

from models.wide_resnet import WideResNet

CHANNELS = 3
CLASSES = 10
DEPTHS = (10, 16, 22, 28)
WIDTHS = (1, 2)


class Network(WideResNet):
    """[n, 3, 32, 32] images between 0 and 1 become [n, 10] scores; the audit runs it in evaluation mode."""

    def __init__(self, depth=28, width=2):
        if depth not in DEPTHS or width not in WIDTHS:
            raise ValueError(f"depths are {DEPTHS} and widths {WIDTHS}")
        super().__init__(CHANNELS, CLASSES, depth, width)
        self.depth, self.width = depth, width

    def forward(self, images):
        # Privacy Meter's loader shifts and scales images like this.
        return super().forward((images - 0.5) / 0.5)
