"""The core of the Geospatial Reasoning Agent: what plugins are written against.

Everything a plugin needs is importable from here; the other modules are the core's own.
"""

from gra_core.autorater import Autorater, Judge, Submission, Unreadable, Unscored
from gra_core.benchmark import (
    Benchmark,
    BenchmarkProtocol,
    Blank,
    IllPosed,
    Query,
    QueryRequest,
    QuerySet,
    Score,
    Scorer,
    content_hash,
)
from gra_core.clock import Clock
from gra_core.configuration import Configuration, Limits, parse_configuration, read_configuration
from gra_core.context import ToolContext
from gra_core.converter import converter, dump, load
from gra_core.errors import (
    ConfigurationError,
    DuplicateName,
    GraError,
    LimitExceeded,
    PluginError,
    ToolError,
    UnknownName,
    UsageError,
)
from gra_core.format import DatasetFormat, FormatHandler
from gra_core.guidance import GuidanceRule
from gra_core.markers import hookimpl, hookspec
from gra_core.message import Message, ToolCall, ToolReply
from gra_core.model import (
    Model,
    ModelClient,
    ModelError,
    ModelFamily,
    ModelReply,
    ModelRequest,
    ModelSettings,
    ToolChoice,
    ToolDeclaration,
    TrialBrief,
)
from gra_core.parallel import Mapper, map_parts, mapping_with, part_count
from gra_core.plugins import PluginFailure, PluginRecord, PluginSelection, load_plugins
from gra_core.registry import Registry
from gra_core.result import ToolResult
from gra_core.sandbox import Sandbox, SandboxJob, SandboxLimits, SandboxOutcome, pick_sandbox
from gra_core.schema import Param
from gra_core.skill import Skill
from gra_core.source import Need, Source, SourceCall, SourceSettings, SourceUse
from gra_core.sources import Sources
from gra_core.strategy import Executor, Planner
from gra_core.tool import Card, Tool, tool
from gra_core.trajectory import Event, Trajectory
from gra_core.usage import Price, PriceTable, Usage, built_in_prices, price_table
from gra_core.workflow import Workflow, WorkflowStep
from gra_core.workspace import Column, Dataset, Lineage, Manifest, Workspace

__version__ = "0.1.0"

__all__ = [
    "Autorater", "Benchmark", "BenchmarkProtocol", "Blank", "Card", "Clock", "Column", "Configuration", "ConfigurationError",
    "Dataset", "DatasetFormat", "DuplicateName", "Event", "Executor", "FormatHandler", "GraError", "GuidanceRule", "IllPosed", "Judge",
    "LimitExceeded", "Limits", "Lineage", "Manifest", "Mapper", "Message", "Model", "ModelClient", "ModelError", "ModelFamily",
    "ModelReply", "ModelRequest", "ModelSettings", "Need", "Param", "Planner", "PluginError", "PluginFailure",
    "PluginRecord", "PluginSelection", "Price", "PriceTable", "Query", "QueryRequest", "QuerySet", "Registry",
    "Sandbox", "SandboxJob", "SandboxLimits", "SandboxOutcome", "Score", "Scorer", "Skill", "Source", "SourceCall",
    "SourceSettings", "SourceUse", "Sources", "Submission", "Tool", "ToolCall", "ToolChoice", "ToolContext", "ToolDeclaration",
    "ToolError", "ToolReply", "ToolResult", "Trajectory", "TrialBrief", "UnknownName", "Unreadable", "Unscored", "Usage", "UsageError",
    "Workflow", "WorkflowStep", "Workspace", "__version__", "built_in_prices", "content_hash", "converter", "dump", "hookimpl", "hookspec",
    "load", "load_plugins", "map_parts", "mapping_with", "parse_configuration", "part_count", "pick_sandbox", "price_table", "read_configuration", "tool",
]  # fmt: skip
