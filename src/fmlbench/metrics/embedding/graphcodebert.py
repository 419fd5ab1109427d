"""GraphCodeBERT as the reference scorer uses it: files joined, windows of 510 tokens, their CLS vectors summed.

Weights are loaded from a folder or from the Hugging Face cache, never downloaded.
"""
# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# ruff: noqa: PLC0415

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fmlbench.core.errors import BadRequest
from fmlbench.metrics.trace import Vectors

MODEL = "microsoft/graphcodebert-base"
WINDOW = 510
NEAR = 0.015
BATCH = 8


class GraphCodeBert:
    """A RoBERTa model and its tokenizer."""

    name = "graphcodebert"
    near = NEAR
    is_cached = True

    def __init__(self, tokenizer: Any, model: Any, batch: int = BATCH) -> None:
        self._tokenizer = tokenizer
        self._model = model.eval()
        self._batch = batch
        self.digest = _digest_of(model)

    def windows(self, files: Mapping[str, str]) -> Sequence[bytes]:
        """The joined files in windows of token numbers."""
        text = "\n".join(files[path] for path in sorted(files))
        tokens = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return [
            np.asarray(tokens[start : start + WINDOW], dtype=np.int32).tobytes()
            for start in range(0, len(tokens), WINDOW)
        ]

    def embed(self, windows: Sequence[bytes]) -> Vectors:
        """The last layer's vector of the first token, in batches of windows of similar length."""
        import torch

        order = sorted(range(len(windows)), key=lambda number: len(windows[number]))
        rows: dict[int, Vectors] = {}
        with torch.inference_mode():
            for start in range(0, len(order), self._batch):
                chosen = order[start : start + self._batch]
                first = self._first_vectors([np.frombuffer(windows[number], np.int32).tolist() for number in chosen])
                rows.update(zip(chosen, first, strict=True))
        return np.stack([rows[number] for number in range(len(windows))])

    def _first_vectors(self, windows: Sequence[list[int]]) -> Vectors:
        import torch

        tokenizer = self._tokenizer
        lines = [[tokenizer.cls_token_id, *window, tokenizer.sep_token_id] for window in windows]
        width = max(map(len, lines))
        tokens = torch.full((len(lines), width), int(tokenizer.pad_token_id))
        mask = torch.zeros((len(lines), width), dtype=torch.long)
        for row, line in enumerate(lines):
            tokens[row, : len(line)] = torch.tensor(line)
            mask[row, : len(line)] = 1
        hidden = self._model(input_ids=tokens, attention_mask=mask).last_hidden_state
        return hidden[:, 0].float().numpy().astype(np.float64)


def _digest_of(model: Any) -> str:
    """The digest of the weights and of the windowing."""
    digest = hashlib.sha256(f"{WINDOW} tokens, CLS summed".encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def load_graphcodebert(place: str = MODEL) -> GraphCodeBert:
    """Load the model from a folder or from the Hugging Face cache."""
    try:
        from transformers import AutoModel, AutoTokenizer
    except ImportError as error:
        raise BadRequest(
            "The embedder 'graphcodebert' needs PyTorch and transformers.",
            hint="pip install 'fmlbench[graphcodebert]', or use --embedder offline.",
        ) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=True)
        model = AutoModel.from_pretrained(place, local_files_only=True, add_pooling_layer=False)
    except (OSError, ValueError) as error:
        raise BadRequest(
            f"There are no GraphCodeBERT weights at '{place}'.",
            hint=f"Download {MODEL} with the Hugging Face tools, or name a folder: --embedder graphcodebert:FOLDER.",
        ) from error
    return GraphCodeBert(tokenizer, model)
