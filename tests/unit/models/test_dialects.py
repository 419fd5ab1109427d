"""What is counted, taken out and refused, dialect by dialect."""

import json
from typing import Any

import pytest

from fmlbench.models.chat import Tokens
from fmlbench.models.dialect import Dialect, Refused
from fmlbench.models.dialects.anthropic_messages import ANTHROPIC_MESSAGES
from fmlbench.models.dialects.google_gemini import GOOGLE_GEMINI
from fmlbench.models.dialects.openai_chat import OPENAI_CHAT
from fmlbench.models.dialects.openai_responses import OPENAI_RESPONSES
from fmlbench.models.json_body import objects_in
from fmlbench.testing.models.tool_wire import CACHED, INPUT, OUTPUT, REASONING, TOOL_DIALECTS, Use

SPOKEN = {
    "/anthropic/v1/messages": ANTHROPIC_MESSAGES,
    "/openai/v1/chat/completions": OPENAI_CHAT,
    "/openai/v1/responses": OPENAI_RESPONSES,
    "/google/v1beta/models/": GOOGLE_GEMINI,
}
DIALECTS = pytest.mark.parametrize("path", sorted(SPOKEN))
TURN = Use("shell", {"command": "ls"})


@DIALECTS
@pytest.mark.parametrize("is_stream", [False, True])
def test_tokens_are_read_off_whole_answers_and_off_streams(path: str, is_stream: bool):
    wire = TOOL_DIALECTS[path]
    answer = b"".join(wire.events(TURN, 0)) if is_stream else json.dumps(wire.whole(TURN, 0)).encode()
    reasoning = 0 if SPOKEN[path] is ANTHROPIC_MESSAGES else REASONING
    expected = Tokens(input=INPUT, output=OUTPUT, cached=CACHED, reasoning=reasoning)
    assert SPOKEN[path].tokens(objects_in(answer)) == expected


@DIALECTS
@pytest.mark.parametrize("answer", [b"", b"<html>", b'{"hello": 1}', b"data: [DONE]\n\n", b'[1, {"usage": 3}]'])
def test_an_answer_that_says_nothing_of_tokens_is_not_a_count_of_none(path: str, answer: bytes):
    assert SPOKEN[path].tokens(objects_in(answer)) is None


def test_what_anthropic_reads_from_its_cache_and_writes_to_it_is_input():
    usage = {"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 100, "output_tokens": 5}
    tokens = ANTHROPIC_MESSAGES.tokens([{"usage": usage}])
    assert tokens == Tokens(input=123, output=5, cached=20, cache_written=100)


def test_what_a_stream_says_at_its_end_holds():
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}
    end = {"type": "message_delta", "usage": {"output_tokens": 40, "input_tokens": None}}
    assert ANTHROPIC_MESSAGES.tokens([start, end]) == Tokens(input=9, output=40)


@pytest.mark.parametrize(
    ("dialect", "body", "most"),
    [
        (ANTHROPIC_MESSAGES, {"max_tokens": 5}, 5),
        (OPENAI_RESPONSES, {"max_output_tokens": 5}, 5),
        (OPENAI_CHAT, {"max_tokens": 5}, 5),
        (OPENAI_CHAT, {"max_completion_tokens": 5, "n": "4"}, 5),
        (GOOGLE_GEMINI, {"generationConfig": {"maxOutputTokens": 5}}, 5),
        (GOOGLE_GEMINI, {"generation_config": {"max_output_tokens": 5, "candidateCount": "3"}}, 5),
        *((dialect, {}, 0) for dialect in SPOKEN.values()),
    ],
)
def test_one_answer_is_asked_for_and_how_long_it_may_be_is_known(dialect: Dialect, body: dict[str, Any], most: int):
    sent = cleaned(dialect, body)
    assert dialect.most_output(sent) == most
    assert not {"n", "candidateCount"} & {*sent, *sent.get("generationConfig", {})}


def test_gemini_streams_may_come_as_one_list():
    parts = [
        {"usageMetadata": {"promptTokenCount": 4}},
        {"usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 2}},
    ]
    assert GOOGLE_GEMINI.tokens(objects_in(json.dumps(parts).encode())) == Tokens(input=4, output=2)


def cleaned(dialect: Dialect, body: dict[str, Any]) -> dict[str, Any]:
    dialect.clean(body)
    return body


def test_tools_that_the_provider_would_carry_out_are_taken_out():
    mine = {"name": "Bash"}
    editor = {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}
    theirs = [{"type": "web_search_20250305"}, {"type": "code_execution_20250522"}, {"type": "web_fetch_20250910"}]
    body = cleaned(ANTHROPIC_MESSAGES, {"tools": [mine, *theirs, editor], "mcp_servers": [{}], "speed": "fast"})
    assert body == {"tools": [mine, editor]}


def test_a_request_left_without_tools_chooses_none():
    body = cleaned(ANTHROPIC_MESSAGES, {"tools": [{"type": "web_search_20250305"}], "tool_choice": {"type": "any"}})
    assert body == {}


def test_openai_searches_no_web_and_keeps_no_answers():
    mine = {"type": "function", "name": "shell"}
    group = {"type": "namespace", "name": "more", "tools": [mine, {"type": "mcp"}]}
    theirs = [{"type": name} for name in ("web_search", "web_search_preview", "code_interpreter", "file_search", "mcp")]
    body = cleaned(OPENAI_RESPONSES, {"tools": [mine, group, *theirs], "background": True, "store": True})
    assert body == {"tools": [mine, {**group, "tools": [mine]}], "store": False}


def test_a_chat_searches_no_web_and_always_tells_its_tokens():
    body = cleaned(OPENAI_CHAT, {"stream": True, "web_search_options": {}, "tools": [{"type": "web_search"}]})
    assert body == {"stream": True, "stream_options": {"include_usage": True}}


def test_gemini_keeps_only_functions():
    functions: dict[str, Any] = {"functionDeclarations": [{"name": "replace"}]}
    tools: list[dict[str, Any]] = [{"googleSearch": {}}, {"urlContext": {}, **functions}, {"codeExecution": {}}]
    assert cleaned(GOOGLE_GEMINI, {"tools": tools}) == {"tools": [functions]}
    assert cleaned(GOOGLE_GEMINI, {"tools": tools[:1], "toolConfig": {}}) == {}


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        (
            ANTHROPIC_MESSAGES,
            {"messages": [{"content": [{"type": "image", "source": {"type": "url", "url": "http://x"}}]}]},
        ),
        (OPENAI_CHAT, {"messages": [{"content": [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]}]}),
        (OPENAI_RESPONSES, {"input": [{"content": [{"type": "input_image", "image_url": "https://x/y.png"}]}]}),
        (OPENAI_RESPONSES, {"input": [{"content": [{"type": "input_file", "file_url": "https://x/y.pdf"}]}]}),
        (GOOGLE_GEMINI, {"contents": [{"parts": [{"fileData": {"fileUri": "https://x/y.pdf"}}]}]}),
        (GOOGLE_GEMINI, {"contents": [{"parts": [{"fileData": {"fileUri": "files/kept-there"}}]}]}),
        (OPENAI_CHAT, {"messages": [{"content": [{"type": "video_url", "video_url": {"url": "http://x"}}]}]}),
        (OPENAI_CHAT, {"messages": [{"content": [{"type": "audio_url", "audio_url": {"url": "FILE:///x"}}]}]}),
        (OPENAI_CHAT, {"messages": [{"content": [{"type": "file", "file": {"file_data": " https://x"}}]}]}),
    ],
)
def test_nothing_is_fetched_from_an_address(dialect: Dialect, body: dict[str, Any]):
    with pytest.raises(Refused, match="no network"):
        dialect.clean(body)


def test_addresses_in_the_words_of_tools_and_pictures_in_the_request_itself_do_no_harm():
    used = {"type": "tool_use", "name": "WebFetch", "input": {"url": "https://x", "image_url": "https://x"}}
    ANTHROPIC_MESSAGES.clean({"messages": [{"content": [used]}, {"content": "see https://x"}]})
    OPENAI_RESPONSES.clean({"input": [{"content": [{"type": "input_image", "image_url": "data:image/png;base64,AA"}]}]})
    GOOGLE_GEMINI.clean({"contents": [{"parts": [{"functionCall": {"name": "f", "args": {"fileUri": "https://x"}}}]}]})


@pytest.mark.parametrize(
    ("dialect", "path", "is_served"),
    [
        (ANTHROPIC_MESSAGES, "/v1/messages", True),
        (ANTHROPIC_MESSAGES, "/v1/messages/count_tokens", True),
        (ANTHROPIC_MESSAGES, "/v1/messages/batches", False),
        (ANTHROPIC_MESSAGES, "/v1/files", False),
        (ANTHROPIC_MESSAGES, "/v1/messages/../files", False),
        (OPENAI_RESPONSES, "/v1/responses", True),
        (OPENAI_RESPONSES, "/v1/responses/resp_1/cancel", False),
        (OPENAI_CHAT, "/v1/chat/completions", True),
        (OPENAI_CHAT, "/v1/embeddings", False),
        (GOOGLE_GEMINI, "/v1beta/models/gemini-2.5-pro:generateContent", True),
        (GOOGLE_GEMINI, "/v1beta/models/gemini-2.5-pro:streamGenerateContent", True),
        (GOOGLE_GEMINI, "/v1beta/models/gemini-2.5-pro:countTokens", True),
        (GOOGLE_GEMINI, "/v1beta/models/gemini-2.5-pro:batchGenerateContent", False),
        (GOOGLE_GEMINI, "/v1beta/cachedContents", False),
    ],
)
def test_only_the_endpoints_of_models_are_served(dialect: Dialect, path: str, is_served: bool):
    assert dialect.serves("POST", path) is is_served
    assert not dialect.serves("GET", path)
    assert not dialect.serves("DELETE", path)


def test_the_run_s_model_is_asked_whatever_a_request_names():
    body = {"model": "dearest"}
    assert ANTHROPIC_MESSAGES.name_model("/v1/messages", body, "mine") == "/v1/messages"
    assert body == {"model": "mine"}
    path = GOOGLE_GEMINI.name_model("/v1beta/models/dearest:generateContent", {}, "mine")
    assert path == "/v1beta/models/mine:generateContent"


def test_nothing_is_kept_for_an_hour_which_costs_more_than_is_counted():
    kept = {"type": "ephemeral", "ttl": "1h"}
    words = {"type": "text", "text": "x", "cache_control": kept}
    body = {"system": [words], "messages": [{"content": [words]}], "tools": [{"name": "a", "cache_control": kept}]}
    sent = json.dumps(cleaned(ANTHROPIC_MESSAGES, json.loads(json.dumps(body | {"cache_control": kept}))))
    assert (sent.count("ephemeral"), "ttl" in sent) == (4, False)


@pytest.mark.parametrize("dialect", [OPENAI_CHAT, OPENAI_RESPONSES], ids=lambda dialect: dialect.name)
def test_no_other_model_is_asked_where_the_run_s_own_fails(dialect: Dialect):
    """OpenRouter falls back on others, at their prices, if a request names them."""
    others = {"models": ["dearest"], "route": "fallback", "provider": {"order": ["x"]}, "preset": "dear", "plugins": []}
    body = cleaned(dialect, {"model": "mine", **others})
    assert body.keys() <= {"model", "store"}


@DIALECTS
def test_a_refusal_is_an_error_as_the_dialect_words_it(path: str):
    said = SPOKEN[path].refusal(400, "no more calls")
    assert said["error"]["message"] == "no more calls"
