"""GraphCodeBERT's code path with a small random model: `make test-graphcodebert` installs what it needs and runs it."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingImports=false, reportMissingTypeStubs=false

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmlbench.metrics.embedding.clouds import VectorFile, embed_programs
from fmlbench.metrics.embedding.embedder import find_embedder, label_of
from tests.unit.metrics.programs import BASE, BOOSTED, MOMENTUM

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")
tokenizers: Any = pytest.importorskip("tokenizers")

LONG = "\n".join([BASE, BOOSTED, MOMENTUM])


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    bpe = tokenizers.ByteLevelBPETokenizer()
    bpe.train_from_iterator([LONG], vocab_size=400, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    bpe.save_model(str(folder))
    transformers.RobertaTokenizer(vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt")).save_pretrained(
        folder
    )
    torch.manual_seed(0)
    shape = transformers.RobertaConfig(
        vocab_size=500, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=514, type_vocab_size=1,
    )  # fmt: skip
    transformers.RobertaModel(shape).save_pretrained(folder)
    return folder


def by_the_book(weights: Path, text: str) -> np.ndarray[Any, Any]:
    """One window after the other, as the facts about the reference scorer tell it."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(weights)
    model = transformers.AutoModel.from_pretrained(weights).eval()
    tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
    total = np.zeros(32)
    with torch.inference_mode():
        for start in range(0, len(tokens), 510):
            window = [tokenizer.cls_token_id, *tokens[start : start + 510], tokenizer.sep_token_id]
            total += model(torch.tensor([window])).last_hidden_state[0, 0].numpy()
    return total


def test_it_is_the_sum_of_the_windows_first_vectors(weights: Path, tmp_path: Path):
    embedder = find_embedder(f"graphcodebert:{weights}")
    assert embedder is not None
    assert len(embedder.windows({"a.py": LONG})) > 2
    programs = [{"a.py": LONG}, {"b.py": BASE, "a.py": BOOSTED}, {"a.py": BASE}]
    points = embed_programs(embedder, programs, VectorFile(tmp_path / "v"))
    for text, point in zip([LONG, f"{BOOSTED}\n{BASE}", BASE], points, strict=True):
        assert point == pytest.approx(by_the_book(weights, text), abs=1e-5)
    again = embed_programs(embedder, programs, VectorFile(tmp_path / "v"))
    assert again == pytest.approx(points, abs=1e-5)


def test_other_weights_are_another_embedder(weights: Path):
    first, second = find_embedder(f"graphcodebert:{weights}"), find_embedder(f"graphcodebert:{weights}")
    assert first is not None
    assert second is not None
    assert label_of(first) == label_of(second)
    changed: Any = second
    with torch.no_grad():
        next(changed._model.parameters()).add_(1)
    assert label_of(type(changed)(changed._tokenizer, changed._model)) != label_of(first)
