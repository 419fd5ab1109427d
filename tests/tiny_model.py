"""A language model of a few thousand weights in a GGUF file: it reads anything and writes letters without sense."""

from pathlib import Path

import numpy as np
from gguf import GGUFWriter, TokenType

CONTEXT_TOKENS = 65_536
_WIDTH, _HEADS = 32, 2
_SPACE = "▁"
_CONTROLS = ("<unk>", "<s>", "</s>")
_BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
_VOCABULARY = (*_CONTROLS, *_BYTES, _SPACE)
_LETTERS = [len(_CONTROLS) + byte for byte in range(ord("a"), ord("z") + 1)]
_TEMPLATE = "{% for each in messages %}{{ each.role }}:{{ each.content }}\n{% endfor %}assistant:"


def write_tiny_model(path: Path, *, hidden: int = 64) -> Path:
    """Write a file that is the same every time. A token is a byte, and one more begins every prompt.

    The more hidden units, the longer takes every token.
    """
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT_TOKENS)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(hidden)
    writer.add_head_count(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    _add_tokenizer(writer)
    _add_weights(writer, hidden)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokenizer(writer: GGUFWriter) -> None:
    writer.add_tokenizer_model("llama")
    writer.add_token_list(_VOCABULARY)
    writer.add_token_scores([0.0] * len(_VOCABULARY))
    writer.add_token_types(
        [
            TokenType.UNKNOWN,
            TokenType.CONTROL,
            TokenType.CONTROL,
            *[TokenType.BYTE] * len(_BYTES),
            TokenType.NORMAL,
        ]
    )
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(_TEMPLATE)


def _add_weights(writer: GGUFWriter, hidden: int) -> None:
    rng = np.random.default_rng(0)

    def add(name: str, *shape: int) -> None:
        writer.add_tensor(f"{name}.weight", rng.normal(size=shape).astype(np.float32))

    for norm in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{norm}.weight", np.ones(_WIDTH, np.float32))
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        add(f"blk.0.{part}", _WIDTH, _WIDTH)
    add("blk.0.ffn_gate", hidden, _WIDTH)
    add("blk.0.ffn_up", hidden, _WIDTH)
    add("blk.0.ffn_down", _WIDTH, hidden)
    add("token_embd", len(_VOCABULARY), _WIDTH)
    # All that is no letter, the end of the answer included, is never the likeliest.
    output = np.zeros((len(_VOCABULARY), _WIDTH), np.float32)
    output[_LETTERS] = rng.normal(size=(len(_LETTERS), _WIDTH))
    writer.add_tensor("output.weight", output)
