"""Known coding agents: how each is started without telemetry and without interactive questions.

A program ends by itself, at the deadline or when the budget is spent. Its exit code does not count as success.
"""

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fmlbench.agents.program.npm_package import Found, NpmPackage, find_program, require_program
from fmlbench.agents.program.program import Program
from fmlbench.core.errors import BadRequest
from fmlbench.core.run import AgentSpec
from fmlbench.models.names import SERVER, ModelName, read_name

_PROMPT = '"$(cat "$FML_PROMPT_FILE")"'
_P_PROMPT = f"-p {_PROMPT}"
"""An option, because it ends a list before it, such as the tools in the user's flags."""


@dataclass(frozen=True)
class Preset:
    """A known program."""

    description: str
    default_model: str
    package: NpmPackage
    providers: tuple[str, ...]
    """The providers whose models it can use."""
    words: Callable[[str], str]
    """Its arguments for a given model; the user's flags follow."""
    prompt: str
    """The arguments that pass the prompt, after the flags."""
    environment: Callable[[str], Mapping[str, str]] = lambda _: {}
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files of its home folder."""

    def find(self, given: str, folder: Path) -> Found:
        """The program on this machine; installed below ``folder`` if necessary."""
        return find_program(self.package, given, folder)

    def require(self, given: str, folder: Path) -> None:
        """Check that the program is installed or can be installed."""
        require_program(self.package, given, folder)

    def require_provider(self, name: ModelName) -> None:
        """Reject models that it cannot use."""
        if name.provider not in self.providers:
            raise BadRequest(
                f"{self.package.title} cannot use {name}.", hint=f"It uses models of {', '.join(self.providers)}."
            )

    def program(self, found: Found, spec: AgentSpec) -> Program:
        """How it is run."""
        model = read_name(spec.model).model
        command = " ".join(filter(None, (found.inside, self.words(model), str(spec.settings["flags"]), self.prompt)))
        return Program(
            command=command,
            mounts=found.mounts,
            path=found.path,
            environment=self.environment(model),
            write_home=self._write_home,
        )

    def _write_home(self, home: Path) -> None:
        for name, text in self.settings.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text, "utf-8")


def _claude_words(model: str) -> str:
    return (
        f"--model {shlex.quote(model)} --output-format stream-json --verbose --dangerously-skip-permissions "
        "--strict-mcp-config"
    )


def _claude_environment(model: str) -> Mapping[str, str]:
    """Background requests use the same model. IS_SANDBOX is needed because it rejects these flags as root otherwise."""
    return {
        "IS_SANDBOX": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "ANTHROPIC_SMALL_FAST_MODEL": model,
        "ANTHROPIC_DEFAULT_HAIKU_MODEL": model,
        "BASH_DEFAULT_TIMEOUT_MS": "3600000",
        "BASH_MAX_TIMEOUT_MS": "86400000",
    }


def _codex_words(model: str) -> str:
    """Codex's sandbox is off, because it cannot create one inside ours."""
    settings = {
        "analytics.enabled": "false",
        "check_for_update_on_startup": "false",
        "web_search": '"disabled"',
        "model_provider": '"fmlbench"',
        "model_providers.fmlbench.name": '"fmlbench"',
        "model_providers.fmlbench.env_key": '"OPENAI_API_KEY"',
        "model_providers.fmlbench.wire_api": '"responses"',
    }
    options = " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in settings.items())
    return (
        f"exec --json --model {shlex.quote(model)} {options} "
        '-c "model_providers.fmlbench.base_url=\\"$OPENAI_BASE_URL\\"" --disable plugins --disable apps '
        "--dangerously-bypass-approvals-and-sandbox --skip-git-repo-check --ephemeral"
    )


def _gemini_words(model: str) -> str:
    return f"--model {shlex.quote(model)} --yolo --skip-trust --output-format stream-json"


_GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
}

PRESETS: dict[str, Preset] = {
    "claude-code": Preset(
        description="Anthropic's Claude Code, the paper's linear agent.",
        default_model="anthropic/claude-sonnet-4-5",
        package=NpmPackage("Claude Code", "@anthropic-ai/claude-code", "2.1.197", "claude"),
        providers=("anthropic",),
        words=_claude_words,
        prompt=_P_PROMPT,
        environment=_claude_environment,
    ),
    "codex": Preset(
        description="OpenAI's Codex.",
        default_model="openai/gpt-5.1-codex",
        package=NpmPackage("Codex", "@openai/codex", "0.166.0", "codex"),
        providers=("openai", "openrouter", "vllm", "ollama", SERVER),
        words=_codex_words,
        prompt=_PROMPT,
    ),
    "gemini": Preset(
        description="Google's Gemini CLI.",
        default_model="google/gemini-2.5-pro",
        package=NpmPackage("Gemini CLI", "@google/gemini-cli", "0.61.0", "gemini"),
        providers=("google",),
        words=_gemini_words,
        prompt=_P_PROMPT,
        settings={".gemini/settings.json": json.dumps(_GEMINI_SETTINGS)},
    ),
}
