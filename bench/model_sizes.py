"""Sizes of the models that bench/models times, for JAX and PyTorch alike."""

# B: sequences or images, T: length, D: width, H: heads, K: heads of keys and values, F: hidden width, V: vocabulary, L: layers, E: experts.
SIZES = {
    "gpt": dict(L=4, D=256, H=8, F=1024, V=4096, T=256, B=8),
    "gpt2-128": dict(L=12, D=768, H=12, F=3072, V=50257, T=128, B=4),
    "gpt2-64": dict(L=12, D=768, H=12, F=3072, V=50257, T=64, B=4),
    "resnet50": dict(B=16, size=224),
    "bert": dict(L=4, D=1024, H=16, F=4096, T=128, B=8),
    "llama": dict(D=1024, H=16, K=4, F=2816, T=1024, B=2),
    "moe": dict(D=512, F=2048, E=8, T=256, B=4),
    "lstm": dict(D=256, T=128, B=32),
    "decode": dict(L=12, D=768, H=12, F=3072, V=50257, T=1024, B=1),
}

# ResNet-50's stages: (blocks, width). A block is 1x1, 3x3, 1x1 with a batch norm after each, and a 1x1 beside it where sizes change.
STAGES = [(3, 64), (4, 128), (6, 256), (3, 512)]
