from pathlib import Path

from fmlbench.experiment.secret import Secret, machine_secret


def test_the_same_words_give_the_same_number_and_others_another():
    secret = Secret(b"k" * 32)
    assert secret.number("draw", 1) == secret.number("draw", 1)
    assert secret.number("draw", 1) != secret.number("draw", 2)
    assert secret.number("draw", 1) != Secret(b"j" * 32).number("draw", 1)
    assert 0 <= secret.number("draw", 1) < 2**31


def test_a_seed_is_too_large_to_be_found_by_trying():
    secret = Secret(b"k" * 32)
    assert secret.seed("draw", 1) == secret.seed("draw", 1)
    assert secret.seed("draw", 1) != secret.seed("draw", 2)
    assert max(secret.seed("draw", number) for number in range(8)).bit_length() > 120


def test_words_are_kept_apart():
    secret = Secret(b"k" * 32)
    assert secret.number("ab", "c") != secret.number("a", "bc")


def test_a_machine_makes_its_secret_once_and_keeps_it_to_its_user(tmp_path: Path):
    first = machine_secret(tmp_path / "cache")
    assert machine_secret(tmp_path / "cache") == first
    assert (tmp_path / "cache" / "secret").stat().st_mode & 0o077 == 0
    assert machine_secret(tmp_path / "other") != first


def test_the_fingerprint_does_not_give_the_secret_away():
    assert b"k" * 4 not in Secret(b"k" * 32).fingerprint.encode()
    assert len(Secret(b"k" * 32).fingerprint) == 8
