package lint

import "fmt"

// A rule is a rule of this package. Profiles have additional rules.
type rule struct {
	level            Level
	why, fix, source string
}

// Limits of the rules.
const (
	MaxName        = 64     // characters
	MaxBothNames   = 60     // characters of the names of server and tool together, from which on some clients leave the tool out
	maxDescription = 1024   // characters
	maxArgument    = 500    // characters
	maxTokens      = 1500   // of one tool
	MaxResult      = 25_000 // tokens of one result
	maxTools       = 128
	maxPrompt      = 500       // characters of the description of a prompt or a resource
	maxList        = 256 << 10 // bytes of a list of prompts, resources or templates
)

// ignorable lists the rules that most authors can ignore: they affect few clients, or tools that are clear anyway.
var ignorable = []string{
	"copilot/constraint", "typescript-2025/beside-ref", "gemini/empty-properties",
	"generic-name", "longish-name", "no-resource-text", "no-mime",
}

// References of the rules.
const (
	aboutNames    = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names"
	aboutTools    = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"
	aboutUse      = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools"
	aboutLength   = "https://github.com/anthropics/claude-code/issues/22276"
	aboutDots     = "https://github.com/vercel/ai/issues/1972"
	aboutTooMany  = "https://github.com/microsoft/vscode/issues/258890"
	aboutOutput   = "https://code.claude.com/docs/en/mcp#mcp-output-limits-and-warnings"
	aboutOpenAI   = "https://platform.openai.com/docs/api-reference/chat/create"
	aboutHints    = "https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations"
	aboutApps     = "https://github.com/cloudflare/mcp/pull/205"
	aboutPrefixes = "https://github.com/tadata-org/fastapi_mcp/issues/64"

	aboutPrompts   = "https://modelcontextprotocol.io/specification/2025-11-25/server/prompts"
	aboutResources = "https://modelcontextprotocol.io/specification/2025-11-25/server/resources"
	aboutSchemes   = "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#common-uri-schemes"
	aboutTemplates = "https://www.rfc-editor.org/rfc/rfc6570"
	aboutMIME      = "https://www.rfc-editor.org/rfc/rfc2045#section-5.1"
	aboutViews     = "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx"
	aboutCommands  = "https://code.claude.com/docs/en/mcp#use-mcp-prompts-as-commands"
)

// rules are the rules for tools, by name.
var rules = map[string]rule{
	"unreadable": {Error, "no client can read it", "see the definition of a tool in the protocol", aboutTools},
	"bad-member": {Error, "some clients refuse the tool or the whole list, others take it to mean something else", "write the member once, with the type that the protocol gives it", aboutTools},
	"no-name":    {Error, "clients cannot call it", "name it", aboutTools},
	"same-name":  {Error, "which one is called is undefined", "name each once", aboutNames},
	"bad-name": {
		Error, "the protocol allows A-Z a-z 0-9 _ - . only, and clients refuse the rest",
		"rename it", aboutNames,
	},
	"dotted-name": {
		Warning, "APIs of models take A-Z a-z 0-9 _ - only; clients that do not rewrite the name get an error for the whole request",
		"write _ for the dot", aboutDots,
	},
	"long-name": {
		Error, "APIs of models take 64 characters, and clients put the name of the server in front",
		"shorten it to 40 or fewer", aboutLength,
	},
	"longish-name": {
		Advice, fmt.Sprintf("clients put the name of the server in front, and some take fewer than %d characters for both", MaxBothNames),
		"shorten it to 40 or fewer", aboutPrefixes,
	},
	"alike-names":  {Warning, "models and people confuse them: only case and punctuation differ", "rename one", ""},
	"generic-name": {Advice, "among the tools of other servers it is ambiguous", "add the object, as in search_orders", aboutUse},
	"no-description": {
		Warning, "a model knows a tool only by its name and description",
		"describe in a sentence or two what it does, when to use it and what it returns", aboutUse,
	},
	"thin-description": {Advice, "it says little more than the name", "describe when to use it and what it returns", aboutUse},
	"long-description": {
		Warning, "some APIs of models refuse more than 1024 characters, and it is read before every conversation",
		"shorten it, and move details to the results", aboutOpenAI,
	},
	"undescribed-argument": {Advice, "a model knows an argument only from the schema", "add a description", aboutUse},
	"long-argument":        {Advice, "it is read before every conversation", "shorten the description to a sentence or two", ""},
	"hidden-text": {
		Error, "a model reads it but a person does not see it, so it can hide instructions",
		"remove the characters", "",
	},
	"no-hints": {
		Advice, "clients treat a tool without hints as destructive, and ask before each call",
		"set readOnlyHint, or destructiveHint if it is not read-only", aboutHints,
	},
	"unset-hint": {
		Advice, "the default of destructiveHint is true, and directories of apps refuse a tool that does not set it",
		"set destructiveHint to false", aboutApps,
	},
	"odd-hints":  {Warning, "a read-only tool is not destructive; clients use one or the other", "remove the hint that is wrong", aboutHints},
	"no-schema":  {Error, "the protocol requires an input schema", `write {"type":"object"} for a tool without arguments`, aboutTools},
	"bad-schema": {Error, "it is not valid JSON Schema; clients reject the tool, or validate nothing", "correct it", aboutTools},
	"heavy-tool": {
		Advice, "it is read before every conversation, whether the tool is used or not",
		"shorten texts, remove optional arguments, or split it", "",
	},
	"large-result": {
		Warning, "Claude Code shows its model results of up to 25,000 tokens, and writes larger ones to a file; other clients cut them",
		"return less, and add arguments for pages or filters; a server in Go can keep the rest for questions with extension/results", aboutOutput,
	},
	"many-tools": {
		Warning, "clients accept up to 128 tools from all servers together, and models choose worse among many",
		"join some, or leave the choice of sets to the user", aboutTooMany,
	},
	"over-budget": {Error, "the tools together exceed the token budget", "look at the largest first", ""},
}
