from pathlib import Path

from fmlbench.experiment.secret import Secret, machine_secret


def test_equal_words_give_equal_numbers():
    secret = Secret(b"k" * 32)
    assert secret.number("draw", 1) == secret.number("draw", 1)
    assert secret.number("draw", 1) != secret.number("draw", 2)
    assert secret.number("draw", 1) != Secret(b"j" * 32).number("draw", 1)
    assert 0 <= secret.number("draw", 1) < 2**31


def test_a_seed_is_too_large_for_a_search():
    secret = Secret(b"k" * 32)
    assert secret.seed("draw", 1) == secret.seed("draw", 1)
    assert secret.seed("draw", 1) != secret.seed("draw", 2)
    assert max(secret.seed("draw", number) for number in range(8)).bit_length() > 120


def test_words_are_separated():
    secret = Secret(b"k" * 32)
    assert secret.number("ab", "c") != secret.number("a", "bc")


def test_the_secret_is_created_once_and_readable_only_by_its_user(tmp_path: Path):
    first = machine_secret(tmp_path / "cache")
    assert machine_secret(tmp_path / "cache") == first
    assert (tmp_path / "cache" / "secret").stat().st_mode & 0o077 == 0
    assert machine_secret(tmp_path / "other") != first


def test_the_fingerprint_does_not_reveal_the_secret():
    assert b"k" * 4 not in Secret(b"k" * 32).fingerprint.encode()
    assert len(Secret(b"k" * 32).fingerprint) == 8
