package lint

import "maps"

// A rule is a rule of this package. Profiles have additional rules.
type rule struct {
	level            Level
	why, fix, source string
}

// Limits of the rules.
const (
	maxName        = 64   // characters
	maxDescription = 1024 // characters
	maxArgument    = 500  // characters
	maxTokens      = 1500 // of one tool
	maxTools       = 128
	maxPrompt      = 500       // characters of the description of a prompt or a resource
	maxList        = 256 << 10 // bytes of a list of prompts, resources or templates
)

// ignorable lists the rules that most authors can ignore: they affect few clients, or tools that are clear anyway.
var ignorable = []string{
	"copilot/constraint", "typescript-2025/beside-ref", "gemini/empty-properties",
	"generic-name", "longish-name", "near-names", "no-resource-text", "no-mime",
}

// References of the rules.
const (
	aboutNames    = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names"
	aboutTools    = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"
	aboutUse      = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools"
	aboutLength   = "https://github.com/anthropics/claude-code/issues/22276"
	aboutDots     = "https://github.com/vercel/ai/issues/1972"
	aboutTooMany  = "https://github.com/microsoft/vscode/issues/258890"
	aboutOpenAI   = "https://platform.openai.com/docs/api-reference/chat/create"
	aboutHints    = "https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations"
	aboutPrefixes = "https://github.com/tadata-org/fastapi_mcp/issues/64"

	aboutPrompts   = "https://modelcontextprotocol.io/specification/2025-11-25/server/prompts"
	aboutResources = "https://modelcontextprotocol.io/specification/2025-11-25/server/resources"
	aboutSchemes   = "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#common-uri-schemes"
	aboutTemplates = "https://www.rfc-editor.org/rfc/rfc6570"
	aboutMIME      = "https://www.rfc-editor.org/rfc/rfc2045#section-5.1"
	aboutViews     = "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx"
	aboutCommands  = "https://code.claude.com/docs/en/mcp#use-mcp-prompts-as-commands"
)

// rules are the rules of this package by name.
var rules = joined(toolRules, listRules)

func joined(all ...map[string]rule) map[string]rule {
	rules := map[string]rule{}
	for _, some := range all {
		maps.Copy(rules, some)
	}
	return rules
}

// toolRules are the rules for tools.
var toolRules = map[string]rule{
	"unreadable": {Error, "no client can read it", "see what the protocol says of a tool", aboutTools},
	"bad-member": {Error, "some clients refuse the tool or the whole list, others take it to mean something else", "write the member once, with the type that the protocol gives it", aboutTools},
	"no-name":    {Error, "nothing can call it", "name it", aboutTools},
	"same-name":  {Error, "which of them is called is chance", "name each once", aboutNames},
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
		Advice, "clients put the name of the server in front, and some take 60 characters for both",
		"shorten it to 40 or fewer", aboutPrefixes,
	},
	"alike-names":  {Warning, "models and people take one for the other: only case and punctuation differ", "rename one", ""},
	"near-names":   {Advice, "a model may take one for the other: they are one slip apart", "tell them apart by a word", ""},
	"generic-name": {Advice, "among the tools of other servers it says nothing", "say of what, as in search_orders", aboutUse},
	"no-description": {
		Warning, "all that a model knows of a tool is its name and the description",
		"say in a sentence or two what it does, when to use it and what comes back", aboutUse,
	},
	"thin-description": {Advice, "it says little more than the name", "say when to use it and what comes back", aboutUse},
	"long-description": {
		Warning, "some APIs of models refuse more than 1024 characters, and it is read before every conversation",
		"shorten it, and let the results say the rest", aboutOpenAI,
	},
	"undescribed-argument": {Advice, "a model knows of an argument only what the schema says", "add a description", aboutUse},
	"long-argument":        {Advice, "it is read before every conversation", "shorten the description to a sentence or two", ""},
	"hidden-text": {
		Error, "a model reads it and a person does not see it, which is how instructions are smuggled",
		"take the characters out", "",
	},
	"no-hints": {
		Advice, "clients take a tool that says nothing for one that destroys, and ask before each call",
		"say whether it is read-only, and if not, whether it is destructive", aboutHints,
	},
	"odd-hints":  {Warning, "what is read-only destroys nothing; clients believe one or the other", "leave out what does not hold", aboutHints},
	"no-schema":  {Error, "the protocol wants an input schema", `write {"type":"object"} for a tool without arguments`, aboutTools},
	"bad-schema": {Error, "it is not valid JSON Schema; clients refuse the tool, or check nothing", "correct it", aboutTools},
	"heavy-tool": {
		Advice, "it is read before every conversation, whether the tool is used or not",
		"shorten texts, leave out what the tool can do without, or split it", "",
	},
	"many-tools": {
		Warning, "clients take up to 128 tools, of all servers together, and models choose worse among many",
		"join some, or leave the choice of sets to the user", aboutTooMany,
	},
	"over-budget": {Error, "the tools together take more of the model's attention than is meant for them", "look at the largest first", ""},
}
