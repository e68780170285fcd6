package modelview

import (
	"slices"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	schemalint "github.com/mcptool-go/mcptool/reflectschema/lint"
)

// Sources of the rules. Rules of programs without public source are from their documentation and from public reports; what Claude
// Code, Codex and Gemini CLI send to a model is compared with them by internal/interop/agents.
const (
	claudeDocs   = "https://code.claude.com/docs/en/mcp"
	codexSource  = "https://github.com/openai/codex/blob/main/codex-rs/"
	geminiSource = "https://github.com/google-gemini/gemini-cli/blob/5411f113cafae26161b4969b0237b8e1e024e2c2/packages/core/src/"
	vscodeSource = "https://github.com/microsoft/vscode/blob/0052d689f910e056718b44fdecc7a5e1ad2c3b66/src/vs/workbench/contrib/mcp/common/"
	seen         = "2026-11-29"
)

// isListed is the rule of clients made with the TypeScript SDK, which check the result of tools/list as a whole.
var isListed = step{Rule: Rule{"list", "the client fails tools/list, for all tools", "https://github.com/modelcontextprotocol/typescript-sdk/issues/1149", seen}, refuses: notListable, all: true}

// copilotRule returns a rule of the profile of GitHub Copilot.
func copilotRule(name string) Rule { return linted(schemalint.ProfileCopilot, name, false).Rule }

var clients = []Client{
	{
		Name: "claude-code", Title: "Claude Code", About: "2.1.332",
		Notes: []Rule{
			{"search", "unless alwaysLoad is set for the server, the model sees only the names of the tools and the instructions, and gets a definition when it searches for it", claudeDocs + "#scale-with-mcp-tool-search", seen},
			{"prompts", "prompts are commands of the user, /mcp__server__prompt; the model lists and reads resources with tools of the client", claudeDocs + "#use-mcp-prompts-as-commands", seen},
		},
		steps: []step{
			isListed,
			{Rule: Rule{"app-only", "a tool whose _meta.ui.visibility lacks model is for views", "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx", seen}, refuses: isForApp, meant: true},
			{Rule: Rule{"names", "the name is mcp__server__tool, with _ in place of other characters than A-Z a-z 0-9 _ -; of tools with the same name the first is kept", claudeDocs, seen}, names: claudeNames},
			{Rule: Rule{"long-name", "a tool whose whole name has more than 128 characters is left out", claudeDocs, seen}, names: notLonger(128, false)},
			linted(schemalint.ProfileClaude, "property-name", false),
			{Rule: Rule{"alternatives", "alternatives at the root, which the API refuses, become one object with the arguments of all, and a sentence in the description", "https://github.com/anthropics/claude-code/issues/45106", seen}, changes: flattened},
			{Rule: Rule{"invalid-schema", "a tool whose schema is not valid JSON Schema 2020-12, which the API refuses, is left out", "https://github.com/antvis/mcp-server-chart/issues/205", seen}, refuses: invalidIn(draft2020)},
			{Rule: Rule{"long-text", "descriptions are cut after 4096 characters (16384 in what a search finds; 2048 before 2.1.332); CLAUDE_CODE_MAX_MCP_DESCRIPTION_LENGTH changes that", "https://github.com/anthropics/claude-code/issues/41593", seen}, changes: cutDescription(4096)},
			{Rule: Rule{"long-instructions", "instructions are cut like descriptions", "https://github.com/anthropics/claude-code/issues/39106", seen}, instructions: 4096},
			{Rule: Rule{"members", "the model gets the name, the description and the input schema", "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools", seen}, changes: onlyDefinition},
			{Rule: Rule{"structured", "structured content replaces all but images, unless the result is an error; _meta is not shown", "https://github.com/anthropics/claude-code/issues/79944", seen}, result: structured(false, isNotImage)},
			{Rule: Rule{"large-result", "a result above 50,000 characters goes to a file, and the model gets its beginning; above 25,000 tokens it gets only the path", claudeDocs + "#mcp-output-limits-and-warnings", seen}, result: toFile},
		},
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop", About: "documentation and reports of 2026",
		Notes: []Rule{{"large-result", "results may have about 150,000 characters; what happens to larger ones is not documented", "https://claude.com/docs/connectors/building", seen}},
		steps: []step{
			{Rule: Rule{"names", "if one name has other characters than A-Z a-z 0-9 _ -, or more than 64, the chat has no tools of the server", "https://github.com/anthropics/claude-code/issues/57813", seen}, refuses: func(tool *jsondoc.Value) string {
				if name := tool.Get("name").Text(); name == "" || len(name) > lint.MaxName || replaced(name, "_-") != name {
					return "the name is not 1 to 64 of A-Z a-z 0-9 _ -"
				}
				return ""
			}, all: true},
		},
	},
	{
		Name: "codex", Title: "Codex", About: "0.171.0", Legacy: true,
		Notes: []Rule{
			{"instructions", "the instructions are the description of the namespace of the tools", "https://github.com/openai/codex/issues/29097", seen},
			{"resources", "the model lists and reads resources with tools of the client", codexSource + "tools/src/mcp_resource_tool.rs", seen},
		},
		steps: []step{
			{Rule: Rule{"app-only", "a tool whose _meta.ui.visibility lacks model is for views", "https://github.com/openai/codex/pull/24635", seen}, refuses: isForApp, meant: true},
			{Rule: Rule{"unread", "a tool whose schema Codex cannot read, such as one with a list in items, is left out", codexSource + "tools/src/json_schema.rs", seen}, refuses: unreadByCodex},
			{Rule: Rule{"names", "tools are in a namespace mcp__server, with _ in place of other characters than A-Z a-z 0-9 _; names that are alike or too long (128 with the namespace) end in a hash", codexSource + "codex-mcp/src/tools.rs", seen}, names: codexNames},
			{Rule: Rule{"keywords", "of a schema Codex keeps types, descriptions, values, properties, combinations, minItems and references; it infers missing types", codexSource + "tools/src/json_schema.rs", seen}, changes: inSchema(codexSchema)},
			{Rule: Rule{"large-schema", "of a schema above 5000 bytes Codex removes descriptions, then definitions, then objects three levels down, then schemas with anyOf, oneOf or allOf, until it is small enough", "https://github.com/openai/codex/pull/23904", seen}, changes: inSchema(codexCompacted)},
			{Rule: Rule{"members", "the model gets the name, the description and the input schema", "https://github.com/openai/codex/issues/13768", seen}, changes: onlyDefinition},
			{Rule: Rule{"structured", "structured content replaces all blocks, also of an error; _meta is not shown", "https://github.com/openai/codex/issues/38287", seen}, result: structured(true, isAny)},
			{Rule: Rule{"audio", "audio is left out", codexSource + "core/src/mcp_tool_call.rs", seen}, result: without(isAudio)},
			{Rule: Rule{"large-result", "of a result above 10,000 tokens (of some models 10,000 bytes) the middle is left out", "https://github.com/openai/codex/issues/14466", seen}, result: cutTo(40_000, 20_000, 20_000)},
		},
	},
	{
		Name: "cursor", Title: "Cursor", About: "documentation and reports of 2026", Legacy: true,
		Notes: []Rule{{"search", "the model sees the names of the tools, and looks up a definition when it needs it; a long result becomes a file", "https://cursor.com/blog/dynamic-context-discovery", seen}},
		steps: []step{
			{Rule: Rule{"long-name", "a tool is left out if the names of server and tool together have 60 or more characters", "https://github.com/ComposioHQ/composio/issues/2788", seen}, names: notLonger(lint.MaxBothNames-1, true)},
		},
	},
	{
		Name: "vscode", Title: "GitHub Copilot in VS Code", About: "sources of 2026", Legacy: true, ByTitle: true,
		Notes: []Rule{
			{"models", "rules for one family of models are not applied; bench lint --profile copilot has them", copilotRule("constraint").Source, copilotRule("constraint").Seen},
			{"many-tools", "above 64 tools of all servers together, the model sees groups of tools, and opens one when it needs it", "https://github.com/microsoft/vscode-copilot-chat/blob/31acd00a86424e2ee6e980e54919cf31fbf88030/src/extension/tools/common/virtualTools/virtualToolsConstants.ts", seen},
		},
		steps: []step{
			{Rule: Rule{"app-only", "a tool whose _meta.ui.visibility lacks model is for views", vscodeSource + "mcpServer.ts", seen}, refuses: isForApp, meant: true},
			{Rule: Rule{"description", "a tool without a description gets one", vscodeSource + "mcpServer.ts", seen}, changes: vscodeDescribed},
			{Rule: Rule{"names", "the name is mcp_server_tool, of the title or name of the server at most 13 characters, in all at most 64; of tools with the same name the first is kept", vscodeSource + "mcpServer.ts", seen}, names: vscodeNames},
			{Rule: Rule{"invalid-schema", "a tool whose schema is not valid draft-07 is left out", vscodeSource + "mcpServer.ts", seen}, refuses: invalidIn(draft7)},
			linted(schemalint.ProfileCopilot, "array-without-items", false),
			{Rule: copilotRule("root-combinator"), changes: inSchema(vscodeRoot)},
			{Rule: copilotRule("unnamed-required"), changes: inSchema(vscodeRequired)},
			{Rule: Rule{"members", "the model gets the name, the description and the input schema", vscodeSource + "mcpLanguageModelToolContribution.ts", seen}, changes: onlyDefinition},
			{Rule: Rule{"audience", "blocks for the user alone are not for the model", vscodeSource + "mcpLanguageModelToolContribution.ts", seen}, result: without(isForUser)},
			{Rule: Rule{"structured", "structured content replaces texts; _meta is not shown", vscodeSource + "mcpLanguageModelToolContribution.ts", seen}, result: structured(true, isText)},
		},
	},
	{
		Name: "gemini-cli", Title: "Gemini CLI", About: "0.61.0", Legacy: true,
		Notes: []Rule{{"resources", "prompts are commands of the user; the model lists and reads resources with tools of the client; instructions are in its context", geminiSource + "tools/mcp-client-manager.ts", seen}},
		steps: []step{
			{Rule: Rule{"first-page", "of a list with pages the client reads the first alone", geminiSource + "tools/mcp-client.ts", seen}, firstPage: true},
			isListed,
			linted(schemalint.ProfileTypeScript2025, "boolean-property", true),
			{Rule: Rule{"unnamed", "a tool without a name is left out", geminiSource + "tools/mcp-client.ts", seen}, refuses: func(tool *jsondoc.Value) string {
				if tool.Get("name").Text() == "" {
					return "the name is empty"
				}
				return ""
			}},
			{Rule: Rule{"names", "the name is mcp_server_tool, with _ in place of other characters than A-Z a-z 0-9 _ - . :; of one with more than 63 the middle is left out; of tools with the same name the last is kept", geminiSource + "tools/mcp-tool.ts", seen}, names: geminiNames},
			{Rule: Rule{"nullable", "a list of a type and null becomes the type with nullable", geminiSource + "tools/mcp-client.ts", seen}, changes: inSchema(geminiNullable)},
			{Rule: Rule{"wait", "each tool gets an argument " + geminiWaits + ", which the client sends to the server", geminiSource + "tools/tools.ts", seen}, changes: inSchema(geminiWaiting)},
			{Rule: Rule{"members", "the model gets the name, the description and the input schema", geminiSource + "tools/mcp-client.ts", seen}, changes: onlyDefinition},
			{Rule: Rule{"structured", "structured content and _meta are left out", geminiSource + "tools/mcp-tool.ts", seen}, result: unstructured},
			{Rule: Rule{"audio", "audio is left out", geminiSource + "utils/generateContentResponseUtilities.ts", seen}, result: without(isAudio)},
			{Rule: Rule{"large-result", "of a result above 40,000 characters the model gets the first 8,000 and the last 32,000, and the path of a file", geminiSource + "utils/fileUtils.ts", seen}, result: cutTo(40_000, 8000, 32_000)},
		},
	},
	{
		Name: "chatgpt", Title: "ChatGPT", About: "documentation of 2026", Legacy: true,
		Notes: []Rule{{"structured", "of a tool with a view (openai/outputTemplate) the model gets the structured content alone", "https://github.com/openai/openai-apps-sdk-examples/issues/144", seen}},
		steps: []step{
			{Rule: Rule{"meta", "_meta is for the view alone", "https://developers.openai.com/apps-sdk/reference", seen}, result: withoutMeta},
		},
	},
}

// readsPages reports whether the client reads all pages of a list.
func (c *Client) readsPages() bool {
	return !slices.ContainsFunc(c.steps, func(s step) bool { return s.firstPage })
}
