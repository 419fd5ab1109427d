"""Every family by example: from this code, it sees a way to that code."""

import pytest

from fmlbench.agents.proposers.mutate.families import FAMILIES
from fmlbench.agents.proposers.mutate.mutations import compiles
from fmlbench.agents.proposers.mutate.sites import Site, definitions, sites_in

TORCH = (
    "import torch\nfrom torch import nn, optim\nimport torch.nn.functional as F\nfrom torch.optim import lr_scheduler\n"
)
NUMPY = "import numpy as np\n"


def sites(code: str, family: str, imports: str = "") -> dict[str, Site]:
    """What a family would make of the code, without the imports, by result."""
    text = f"{imports}{code}\n"
    found = [
        site for site in sites_in("research.py", text, definitions({"research.py": text})) if site.family == family
    ]
    return {site.apply(text).removeprefix(imports).removesuffix("\n"): site for site in found}


EXAMPLES = [
    # numbers: whole numbers stay whole and positive, others keep two digits
    ("numbers", "", "learning_rate = 0.01", ["learning_rate = 0.03", "learning_rate = 0.1", "learning_rate = 0.001"]),
    ("numbers", "", "width = 8", ["width = 16", "width = 4", "width = 80", "width = 1", "width = 9"]),
    ("numbers", "", "penalty = 0.0", ["penalty = 0.001", "penalty = 1.0"]),
    ("numbers", "", "momentum = 0.9", ["momentum = 0.99", "momentum = 0.95", "momentum = 0.8", "momentum = 0.45"]),
    ("numbers", "", "def f(p=0.5): pass", ["def f(p=0.25): pass", "def f(p=0.75): pass"]),
    # widths: all of them or none
    (
        "widths",
        TORCH,
        "def net():\n    a = conv(3, 16)  # in\n    return a, conv(16, 10, k=3)",
        ["def net():\n    a = conv(3, 32)  # in\n    return a, conv(32, 10, k=3)"],
    ),
    ("booleans", "", "use_bias = True", ["use_bias = False"]),
    ("booleans", "", "f(nesterov=False)", ["f(nesterov=True)"]),
    ("options", "", "def f(p: Optional[float] = None): pass", ["def f(p: Optional[float] = 2.0): pass"]),
    ("options", "", "def f(k: int | None = None): pass", ["def f(k: int | None = 5): pass"]),
    # optimisers: arguments that the other one does not take are dropped
    (
        "optimizers",
        TORCH,
        "o = torch.optim.SGD(params, lr=0.1, momentum=0.9, weight_decay=1e-4)",
        [
            "o = torch.optim.AdamW(params, lr=0.1, weight_decay=1e-4)",
            "o = torch.optim.AdamW(params, lr=0.1 * (0.1), weight_decay=1e-4)",
            "o = torch.optim.RMSprop(params, lr=0.1, momentum=0.9, weight_decay=1e-4)",
        ],
    ),
    (
        "optimizers",
        TORCH,
        "o = optim.Adam(params, rate, (0.9, 0.99))",
        ["o = optim.SGD(params, rate)", "o = optim.SGD(params, lr=10 * (rate))", "o = optim.AdamW(params, rate)"],
    ),
    ("optimizers", TORCH, "o = optim.SGD(params, 0.1)", ["o = optim.SGD(params, 0.1, momentum=0.9)"]),
    (
        "schedules",
        TORCH,
        "s = lr_scheduler.StepLR(o, step_size=30, gamma=0.1)",
        ["s = lr_scheduler.CosineAnnealingLR(o, T_max=3 * (30))"],
    ),
    (
        "schedules",
        TORCH,
        "s = optim.lr_scheduler.CosineAnnealingLR(o, epochs)",
        ["s = optim.lr_scheduler.StepLR(o, step_size=max(1, (epochs) // 3), gamma=0.1)"],
    ),
    (
        "schedules",
        TORCH,
        "s = lr_scheduler.MultiStepLR(o, [60, 80], gamma=0.1)",
        ["s = lr_scheduler.LinearLR(o, start_factor=1.0, end_factor=0.01, total_iters=max([60, 80]))"],
    ),
    ("losses", TORCH, "l = F.cross_entropy(x, y)", ["l = F.cross_entropy(x, y, label_smoothing=0.1)"]),
    ("losses", TORCH, "l = F.nll_loss(x, y)", ["l = F.cross_entropy(x, y, label_smoothing=0.05)"]),
    ("losses", TORCH, "l = F.mse_loss(x, y)", ["l = F.smooth_l1_loss(x, y)", "l = F.l1_loss(x, y)"]),
    ("losses", TORCH, "l = nn.CrossEntropyLoss()", ["l = nn.CrossEntropyLoss(label_smoothing=0.1)"]),
    ("activations", TORCH, "a = nn.ReLU(inplace=True)", ["a = nn.GELU()", "a = nn.SiLU()", "a = nn.Tanh()"]),
    ("activations", TORCH, "h = F.relu(h)", ["h = F.gelu(h)", "h = F.leaky_relu(h)"]),
    ("activations", TORCH, "h = torch.relu(h)", ["h = torch.tanh(h)"]),
    ("activations", NUMPY, "h = np.tanh(a @ w)", ["h = np.maximum(a @ w, 0.0)", "h = np.arctan(a @ w)"]),
    ("activations", NUMPY, "h = np.maximum(a, 0)", ["h = np.tanh(a)", "h = np.maximum(a, 0.1 * (a))"]),
    (
        "norms",
        TORCH,
        "n = nn.BatchNorm2d(64, eps=1e-3)",
        ["n = nn.GroupNorm(8, 64)", "n = nn.InstanceNorm2d(64, affine=True)", "n = nn.Identity()"],
    ),
    ("norms", TORCH, "n = nn.BatchNorm2d(width)", ["n = nn.GroupNorm(1, width)"]),
    ("norms", TORCH, "n = nn.GroupNorm(4, width)", ["n = nn.BatchNorm2d(width)"]),
    ("norms", TORCH, "n = nn.LayerNorm(width)", ["n = nn.RMSNorm(width)", "n = nn.Identity()"]),
    ("pooling", TORCH, "p = nn.MaxPool2d(2, dilation=1)", ["p = nn.AvgPool2d(2)"]),
    ("pooling", TORCH, "p = F.adaptive_avg_pool2d(x, 1)", ["p = F.adaptive_max_pool2d(x, 1)"]),
    (
        "initialisers",
        TORCH,
        "nn.init.kaiming_normal_(m.weight, mode='fan_out')",
        ["nn.init.orthogonal_(m.weight)", "nn.init.xavier_uniform_(m.weight)"],
    ),
    ("initialisers", NUMPY, "w = rng.standard_normal(8)", ["w = rng.random(8)"]),
    ("distances", TORCH, "d = -torch.cdist(a, b)", ["d = -torch.cdist(a, b, p=1.0)", "d = -(torch.cdist(a, b) ** 2)"]),
    ("distances", TORCH, "d = F.cosine_similarity(a, b)", ["d = -F.pairwise_distance(a, b)"]),
    ("distances", "", "d = cdist(a, b, metric='euclidean')", ["d = cdist(a, b, metric='cosine')"]),
    ("distances", NUMPY, "d = np.linalg.norm(a, axis=1)", ["d = np.linalg.norm(a, axis=1, ord=1)"]),
    ("temperatures", TORCH, "p = F.softmax(a + b, dim=1)", ["p = F.softmax(2.0 * (a + b), dim=1)"]),
    ("temperatures", TORCH, "p = (a + b).softmax(-1)", ["p = (2.0 * (a + b)).softmax(-1)"]),
    ("temperatures", TORCH, "p = a.softmax(-1)", ["p = (2.0 * a).softmax(-1)"]),
    ("temperatures", TORCH, "p = self.softmax(a)", ["p = self.softmax(2.0 * a)"]),
    ("temperatures", "", "logits = a @ b", ["logits = 0.5 * (a @ b)"]),
    (
        "features",
        TORCH,
        "features = net(x)",
        ["features = net(x)\nfeatures = features / features.norm(dim=-1, keepdim=True).clamp_min(1e-12)"],
    ),
    (
        "features",
        NUMPY,
        "def embed(x):\n    return x @ w",
        ["def embed(x):\n    features = x @ w\n    return features - np.mean(features, axis=0, keepdims=True)"],
    ),
    ("features", NUMPY, "def f(hidden):\n    return hidden", ["def f(hidden):\n    return np.maximum(hidden, 0.0)"]),
    ("columns", NUMPY, "x = np.hstack([x, ones])", ["x = np.hstack([x, x ** 2, ones])"]),
    ("columns", TORCH, "x = torch.cat((x, y), dim=1)", ["x = torch.cat((x, x.abs(), y), dim=1)"]),
    (
        "layers",
        TORCH,
        "s = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))",
        [
            "s = nn.Sequential(nn.ReLU(), nn.Linear(8, 4))",
            "s = nn.Sequential(nn.Linear(8, 8), nn.ReLU())",
            "s = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))",
        ],
    ),
    ("layers", TORCH, "s = [nn.Dropout(0.1), nn.ReLU()]", ["s = [nn.ReLU()]", "s = [nn.Dropout(0.1)]"]),
    (
        "skips",
        TORCH,
        "x = self.block(x)",
        ["x = x", "x = self.block(self.block(x))", "x = x + self.block(x)"],
    ),
    ("skips", TORCH, "y = 2 * F.relu(a - b)", ["y = 2 * (a - b)"]),
    ("skips", TORCH, "y = 2 * self.block(x)", ["y = 2 * (x + self.block(x))"]),
    (
        "terms",
        "",
        "loss = error + 0.1 * penalty",
        ["loss = error", "loss = 0.1 * penalty", "loss = error + 10.0 * (0.1 * penalty)", "loss = error + penalty"],
    ),
    ("terms", "", "loss += penalty", ["loss += 0.1 * penalty"]),
    ("terms", "", "y = (a + b) * c", ["y = (a) * c", "y = (a + b)", "y = c"]),
    ("reductions", NUMPY, "c = np.mean(x, axis=0)", ["c = np.median(x, axis=0)", "c = np.sum(x, axis=0)"]),
    ("reductions", TORCH, "c = x.mean(0)", ["c = x.sum(0)"]),
    ("transforms", NUMPY, "c = np.exp(x)", ["c = np.expm1(x)"]),
    ("transforms", TORCH, "c = torch.log(x)", ["c = torch.log1p(x)", "c = torch.sqrt(x)"]),
    ("operators", "", "y = a + b", ["y = a - b"]),
    ("operators", "", "y /= b", ["y *= b"]),
    ("comparisons", "", "y = a < b", ["y = a <= b", "y = a > b"]),
    ("branches", "", "y = a if c > 0 else b", ["y = a", "y = b"]),
    ("branches", "", "if a and b:\n    y = 1", ["if not (a and b):\n    y = 1"]),
]


@pytest.mark.parametrize(("family", "imports", "code", "expected"), EXAMPLES)
def test_a_family_sees_these_changes(family: str, imports: str, code: str, expected: list[str]):
    assert set(expected) <= set(sites(code, family, imports))


def test_every_family_has_an_example():
    assert {family for family, *_ in EXAMPLES} == {family.name for family in FAMILIES}


@pytest.mark.parametrize(("imports", "code"), sorted({(imports, code) for _, imports, code, _ in EXAMPLES}))
def test_every_change_compiles_and_has_an_idea_of_one_line(imports: str, code: str):
    for family in FAMILIES:
        for becomes, site in sites(code, family.name, imports).items():
            assert compiles(becomes), becomes
            assert becomes != code
            assert "\n" not in site.idea
            assert site.weight > 0


TWINS = """
class Method:
    def l2_distance(self, x): ...
    def cosine_distance(self, x): ...
    def forward(self, x):
        return self.l2_distance(x)
"""


def test_distances_know_a_twin_when_the_code_has_both():
    assert TWINS.replace("return self.l2", "return self.cosine").strip() in sites(TWINS.strip(), "distances")


def test_distances_do_not_invent_a_twin():
    assert not sites("def f(x):\n    return self.l2_distance(x)", "distances")


UNTOUCHED = [
    ("numbers", "", "seed = 3", "a lucky seed is no idea"),
    ("numbers", "", "rng = default_rng(3)", "a lucky seed is no idea"),
    ("numbers", "", "def f(x: Literal[3]): pass", "annotations do not compute"),
    ("numbers", "", "print(3)", "what is printed is for people"),
    ("numbers", "", "raise ValueError(3)", "so are errors"),
    ("numbers", "", "if x.ndim != 2:\n    raise ValueError", "and what leads to nothing but errors"),
    ("numbers", "", "if step % 50 == 49:\n    print(step)\n    logger.info(step)", "or to nothing but talk"),
    ("widths", "", "def f():\n    return conv(3, 16), conv(3, 8)", "three is equal by chance, the others are not"),
    ("numbers", "", "mask = 0xFF", "bits are not quantities"),
    ("booleans", "", "f(verbose=True)", "talk is not method"),
    ("operators", "", "name = 'a' + suffix", "text is joined by the same sign"),
    ("operators", "", "items = [0] * n", "so are lists"),
    ("terms", "", "path = folder + '/x'", "text again"),
    ("optimizers", TORCH, "o = optim.SGD(*args)", "unpacked arguments cannot be sorted out"),
    ("activations", "from torch.nn import ReLU\n", "a = ReLU()", "a bare name must have been imported"),
    ("layers", TORCH, "s = nn.Sequential(nn.ReLU())", "a stack of one has nothing to spare"),
    ("layers", "", "s = [1, 2, 3]", "numbers are no layers"),
    ("branches", "", "y = a if a is not None else b", "the other way can only crash"),
    ("features", TORCH, "class N:\n    def __init__(self):\n        self.features = net(3)", "only a placeholder"),
    ("columns", NUMPY, "x = np.hstack([np.ones(3)])", "functions of constants add nothing"),
]


@pytest.mark.parametrize(("family", "imports", "code", "why"), UNTOUCHED)
def test_a_family_leaves_alone_what_cannot_help(family: str, imports: str, code: str, why: str):
    assert not sites(code, family, imports), why


def test_a_bare_name_is_swapped_when_the_other_one_was_imported_too():
    imports = "from torch.nn import ReLU, GELU\n"
    assert set(sites("a = ReLU()", "activations", imports)) == {"a = GELU()"}


def test_knobs_of_the_method_are_likelier_to_be_turned_than_positions():
    knob = max(site.weight for site in sites("learning_rate = 0.5", "numbers").values())
    nameless = max(site.weight for site in sites("y = f(x) * 0.5", "numbers").values())
    position = max(site.weight for site in sites("y = x[5]", "numbers").values())
    assert knob > nameless > position


def test_an_index_moves_by_one_only():
    assert set(sites("y = x[5]", "numbers")) == {"y = x[4]", "y = x[6]"}


def test_a_fraction_stays_below_one():
    values = [float(code.split(" = ")[1]) for code in sites("dropout = 0.6", "numbers")]
    assert values
    assert all(0 < value < 1 for value in values)


def test_a_dropped_layer_takes_its_comma_and_comment_with_it():
    code = "s = nn.Sequential(\n    nn.ReLU(),  # bend\n    nn.Dropout(0.1),\n    nn.Linear(2, 2),\n)"
    expected = "s = nn.Sequential(\n    nn.Dropout(0.1),\n    nn.Linear(2, 2),\n)"
    assert expected in sites(code, "layers", TORCH)
