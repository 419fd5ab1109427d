"""Photograph subjects in front of backdrops with several cameras, and let only a secret sensor see the pictures.

    recipe.py prepare ROOT    ROOT/raw/{mnist,fashion-mnist,quickdraw,cifar-10} -> ROOT/pools/WORLD/
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json                       -> ROOT/out/{train,validation,test}/

A domain is a camera together with a habit: which backdrops are chosen for which label, and how often. The label of a
picture is that of its subject. Backdrops follow the label in training, more in one domain than in another and not
always in the same way; in unseen domains they are chosen at random, so whoever relies on them is misled.

Which pictures belong to which world and split is fixed. The secret seed decides which class a label stands for, which
pictures are backdrops, all domains, every rendering, and the axes of the sensor.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from datasetkit import main, read_request, save, save_exam
from crosstalk import make_crosstalk
from pictures import deal_classes, read_cifar, read_fashion, read_mnist, read_quickdraw, rerender
from sensor import make_sensor
from worlds import SIDE, WORLDS

LABELS = 10
BACKDROPS_PER_LABEL = 2
BACKDROP_INK = 0.35
"""The root mean square of a backdrop's pixels."""
SPLITS = {"train": (0, 1, 2), "validation": (3,), "test": (4,)}
"""Which fifths of the subjects a split uses; a hash of its pixels decides which fifth a picture is in."""
DRAWINGS = dict.fromkeys(("scored/backdrops", "lab/subjects", "lab/backdrops"), 1 / 3)
"""Which share of the classes of Quick, Draw! each part of a world has."""

HABITS = (0.97, 0.96, 0.94, 0.92, 0.88, 0.82, 0.73, 0.62, 0.51, 0.4)
"""How often, in each seen domain, a backdrop is chosen by the label; the secret moves each by up to 0.01."""
MOVED_LABELS = 4
"""How many labels change their backdrops with each other in each seen domain."""
SEEN_AMOUNT, UNSEEN_AMOUNT = 0.2, 0.3
"""How far cameras differ."""


@dataclass(frozen=True)
class Domain:
    """A camera and a habit."""

    habit: float
    order: np.ndarray
    """[labels]: whose backdrops a label is given."""
    subject_gain: float
    backdrop_gain: float
    noise: float
    distortions: list

    def photograph(self, world, subjects, backdrops, rng):
        """Pictures, [n, s, s], of subjects in front of backdrops."""
        pictures = world.expose(self.subject_gain * subjects, self.backdrop_gain * backdrops)
        for distort in self.distortions:
            pictures = distort(pictures)
        return (pictures + self.noise * rng.standard_normal(pictures.shape)).astype(np.float32)


@dataclass(frozen=True)
class Universe:
    """What the secret chose for one sample, beside its domains."""

    label_of_class: dict
    backdrops: np.ndarray
    """[labels, backdrops of each, s, s]."""


def prepare(root):
    """Read all pictures and divide them among the worlds."""
    raw, pools = root / "raw", root / "pools"
    _save_pictures(pools / "scored" / "subjects", *read_fashion(raw / "fashion-mnist"))
    _save_pictures(pools / "sibling" / "subjects", *read_mnist(raw / "mnist"))
    _save_pictures(pools / "sibling" / "backdrops", *read_cifar(raw / "cifar-10"))
    drawings, numbers, names = read_quickdraw(raw / "quickdraw")
    for part, chosen in deal_classes(names, DRAWINGS, "fmlbench generalization").items():
        rows = np.isin(numbers, [names.index(name) for name in chosen])
        _save_pictures(pools / part, drawings[rows], numbers[rows])


def shrink(images):
    """28 x 28 pixels become 14 x 14."""
    return np.rint(images.reshape(-1, SIDE, 2, SIDE, 2).mean(axis=(2, 4))).astype(np.uint8)


def fifth(image):
    """A number from 0 to 4 for a picture: the same for equal pictures, as good as random otherwise."""
    return hashlib.sha256(image.tobytes()).digest()[0] * 5 // 256


def _save_pictures(folder, images, labels):
    save(folder, images=shrink(images), labels=labels, fifths=np.array([fifth(image) for image in images]))


def draw(root):
    """Draw one training set and both exams."""
    request = read_request(root)
    seed, settings, name = request.seed, request.settings, request.world
    world, pools = WORLDS[name], root / "pools" / name
    subjects = {part: np.load(pools / "subjects" / f"{part}.npy") for part in ("images", "labels", "fifths")}
    universe = draw_universe(subjects["labels"], _load_images(pools / "backdrops"), _rng(seed, 0))
    seen = draw_seen_domains(world, _rng(seed, 1))
    plan = {
        "train": [(domain, settings["train_per_domain"]) for domain in seen],
        **{
            exam: [(domain, settings["exam_per_seen_domain"]) for domain in seen]
            + [(domain, settings["exam_per_unseen_domain"]) for domain in draw_unseen_domains(world, settings, rng)]
            for exam, rng in (("validation", _rng(seed, 2)), ("test", _rng(seed, 3)))
        },
    }
    drawn = {
        split: take_pictures(world, universe, subjects, split, domains, _rng(seed, 4 + number))
        for number, (split, domains) in enumerate(plan.items())
    }
    sensor = make_sensor(drawn["train"]["pictures"], settings["sensor_size"], _rng(seed, 7))
    crosstalk = make_crosstalk(sensor.read(drawn["train"]["pictures"]), _rng(seed, 8))
    for split, arrays in drawn.items():
        readings = crosstalk.disturb(sensor.read(arrays.pop("pictures")))
        if split == "train":
            kept = keep_share(arrays["domains"], request.train_share)
            save(root / "out" / split, readings=readings[kept], **{key: part[kept] for key, part in arrays.items()})
        else:
            save_exam(root / "out" / split, {"readings": readings}, arrays)


def draw_universe(classes, backdrops, rng):
    """Choose the classes, number them anew, and choose the backdrops of each label."""
    chosen_classes = rng.permutation(np.unique(classes))[:LABELS]
    chosen = rng.permutation(len(backdrops))[: LABELS * BACKDROPS_PER_LABEL]
    return Universe(
        label_of_class={int(one): label for label, one in enumerate(chosen_classes)},
        backdrops=equalise_ink(backdrops[chosen]).reshape(LABELS, BACKDROPS_PER_LABEL, SIDE, SIDE),
    )


def equalise_ink(images):
    """Give all pictures the same mean square, so that no backdrop is much easier to see than another."""
    levels = images / 255
    strength = np.sqrt(np.mean(levels**2, axis=(1, 2), keepdims=True))
    return np.rint(255 * np.clip(levels * BACKDROP_INK / strength, 0, 1)).astype(np.uint8)


def draw_seen_domains(world, rng):
    """The domains of training, in an order that says nothing about their habits."""
    habits = np.array(HABITS) + rng.uniform(-0.01, 0.01, len(HABITS))
    domains = []
    for habit, moved in zip(habits, deal_moves(len(habits), rng), strict=True):
        order = np.arange(LABELS)
        order[moved] = np.roll(moved, 1)
        domains.append(draw_domain(world, habit, order, SEEN_AMOUNT, rng))
    return [domains[number] for number in rng.permutation(len(domains))]


def deal_moves(domains, rng):
    """Which labels change their backdrops in each domain, [domains, moved labels].

    All labels do so equally often, or nearly: a label whose backdrops never change would be the easiest to get wrong.
    """
    rounds = -(-domains * MOVED_LABELS // LABELS)
    while True:
        dealt = np.concatenate([rng.permutation(LABELS) for _ in range(rounds)])[: domains * MOVED_LABELS]
        moves = dealt.reshape(domains, MOVED_LABELS)
        if all(len(set(moved)) == MOVED_LABELS for moved in moves.tolist()):
            return moves


def draw_unseen_domains(world, settings, rng):
    """Domains that belong to one exam alone; their backdrops say nothing about the label."""
    return [draw_domain(world, 0.0, np.arange(LABELS), UNSEEN_AMOUNT, rng) for _ in range(settings["unseen_domains"])]


def draw_domain(world, habit, order, amount, rng):
    """A domain with a camera of its own."""
    gains = np.exp(0.2 * amount * rng.standard_normal(2))
    return Domain(
        habit=habit,
        order=order,
        subject_gain=world.subject_gain * gains[0],
        backdrop_gain=world.backdrop_gain * gains[1],
        noise=0.05 * np.exp(0.4 * amount * rng.standard_normal()),
        distortions=[kind(amount, rng) for kind in world.distortions],
    )


def take_pictures(world, universe, subjects, split, domains, rng):
    """Photograph so many subjects in each domain; return pictures, labels and domains, shuffled."""
    parts = []
    for number, (domain, size) in enumerate(domains):
        rows = choose_subjects(universe, subjects, split, size, rng)
        labels = np.array([universe.label_of_class[one] for one in subjects["labels"][rows].tolist()])
        if split == "train":
            labels = np.where(rng.random(size) < world.label_errors, rng.integers(0, LABELS, size), labels)
        figures = rerender(
            subjects["images"][rows], rng, turn=0.06, scale=0.04, shear=0.04, shift=0.3, warp=0.16, pen=0.4, noise=0
        )
        scenes = rerender(
            choose_backdrops(universe.backdrops, labels, domain, rng),
            rng, turn=0.05, scale=0.03, shear=0.03, shift=0.2, warp=0.1, pen=0.4, noise=0,
        )  # fmt: skip
        pictures = domain.photograph(world, figures, scenes, rng)
        parts.append({"pictures": pictures, "labels": labels, "domains": np.full(size, number)})
    order = rng.permutation(sum(size for _, size in domains))
    return {key: np.concatenate([part[key] for part in parts])[order] for key in parts[0]}


def choose_subjects(universe, subjects, split, size, rng):
    """Rows of subjects of a split, [size]: of each class equally many, in random order."""
    usable, classes = np.isin(subjects["fifths"], SPLITS[split]), np.array(list(universe.label_of_class))
    chosen = classes[rng.permutation(size) % len(classes)]
    rows = np.empty(size, int)
    for one in classes:
        pool, places = np.flatnonzero(usable & (subjects["labels"] == one)), np.flatnonzero(chosen == one)
        rows[places] = rng.choice(pool, len(places), replace=len(places) > len(pool))
    return rows


def choose_backdrops(backdrops, labels, domain, rng):
    """A backdrop for each label: by habit one of those that its domain gives it, otherwise any."""
    by_habit = rng.random(len(labels)) < domain.habit
    owners = np.where(by_habit, domain.order[labels], rng.integers(0, LABELS, len(labels)))
    return backdrops[owners, rng.integers(0, BACKDROPS_PER_LABEL, len(labels))]


def keep_share(domains, share):
    """The first rows of each domain, at least two for each label on average; exams stay as they are."""
    kept = [rows[: max(2 * LABELS, round(share * len(rows)))] for rows in _rows_of_each(domains)]
    return np.sort(np.concatenate(kept))


def _rows_of_each(domains):
    return [np.flatnonzero(domains == one) for one in np.unique(domains)]


def _rng(seed, stream):
    return np.random.default_rng([seed, stream])


def _load_images(folder):
    return np.load(folder / "images.npy")


if __name__ == "__main__":
    main(prepare=prepare, sample=draw)
