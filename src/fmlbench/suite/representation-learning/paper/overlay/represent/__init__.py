"""Learn features of CIFAR-10 images without labels, on top of lightly."""
