package runtime_test

import (
	"fmt"
	"slices"
	"strings"
)

// members lists, object by object, every member that a server may send, and since which
// revision. It was written from the specification, not from our code: the official
// schemas leave all objects open and cannot see a member that came too early.
//
// A line is an object and its members. A member is name@first..last=Kind: without
// revisions it is in all of them; Kind names the object that its value is, []Kind
// an array of those. Kinds of content blocks are told from their member type.
const memberTable = `
Response            jsonrpc id result error=Error
Notification        jsonrpc method params
Error               code message data

InitializeResult    protocolVersion@24-11..25-11 capabilities=ServerCapabilities serverInfo=Implementation instructions _meta=ResultMeta
DiscoverResult      supportedVersions@26-07 capabilities=ServerCapabilities instructions resultType@26-07 ttlMs@26-07 cacheScope@26-07 _meta=ResultMeta
ServerCapabilities  tools=ToolsCapability logging=Empty prompts=Empty resources=Empty extensions=Extensions tasks@25-11..25-11=TasksCapability
Extensions          com.example/new=Empty io.modelcontextprotocol/tasks@26-07=Empty
TasksCapability     list=Empty cancel=Empty requests=TaskRequests
TaskRequests        tools=TaskTools
TaskTools           call=Empty
ToolsCapability     listChanged
Implementation      name version title@25-06 description@25-11 websiteUrl@25-11 icons@25-11=[]Icon
Icon                src mimeType sizes theme
Empty
EmptyResult         resultType@26-07 _meta=ResultMeta
ResultMeta          io.modelcontextprotocol/serverInfo@26-07=Implementation io.modelcontextprotocol/subscriptionId@26-07 io.modelcontextprotocol/related-task@25-11..25-11=RelatedTask
RelatedTask         taskId

ListToolsResult     tools=[]Tool nextCursor resultType@26-07 ttlMs@26-07 cacheScope@26-07 _meta=ResultMeta
Tool                name title@25-06 description inputSchema outputSchema@25-06 annotations@25-03=ToolAnnotations icons@25-11=[]Icon execution@25-11..25-11=Execution _meta@25-06=ResultMeta
Execution           taskSupport
ToolAnnotations     title readOnlyHint destructiveHint idempotentHint openWorldHint

CallToolResult      content=[]Block isError structuredContent@25-06 resultType@26-07 _meta=ResultMeta
Block:text          type text annotations=Annotations _meta@25-06=ResultMeta
Block:image         type data mimeType annotations=Annotations _meta@25-06=ResultMeta
Block:audio         type@25-03 data@25-03 mimeType@25-03 annotations@25-03=Annotations _meta@25-06=ResultMeta
Block:resource      type resource=ResourceContents annotations=Annotations _meta@25-06=ResultMeta
Block:resource_link type@25-06 uri@25-06 name@25-06 title@25-06 description@25-06 mimeType@25-06 size@25-06 icons@25-11=[]Icon annotations@25-06=Annotations _meta@25-06=ResultMeta
ResourceContents    uri mimeType text blob _meta@25-06=ResultMeta
Annotations         audience priority lastModified@25-06

ListPromptsResult   prompts resultType@26-07 ttlMs@26-07 cacheScope@26-07 _meta=ResultMeta
GetPromptResult     messages=[]PromptMessage resultType@26-07 _meta=ResultMeta
PromptMessage       role content=Block
ListResourcesResult resources=[]Resource resultType@26-07 ttlMs@26-07 cacheScope@26-07 _meta=ResultMeta
Resource            uri name
ReadResourceResult  contents=[]ResourceContents resultType@26-07 ttlMs@26-07 cacheScope@26-07 _meta=ResultMeta
InputRequiredResult inputRequests@26-07={}InputRequest requestState@26-07 resultType@26-07 _meta=ResultMeta

CreateTaskResult    task@25-11..25-11=Task _meta=ResultMeta
Task                taskId status statusMessage createdAt lastUpdatedAt ttl pollInterval
GetTaskResult       taskId@25-11..25-11 status@25-11..25-11 statusMessage@25-11..25-11 createdAt@25-11..25-11 lastUpdatedAt@25-11..25-11 ttl@25-11..25-11 pollInterval@25-11..25-11
CancelTaskResult    taskId@25-11..25-11 status@25-11..25-11 statusMessage@25-11..25-11 createdAt@25-11..25-11 lastUpdatedAt@25-11..25-11 ttl@25-11..25-11 pollInterval@25-11..25-11
ListTasksResult     tasks@25-11..25-11=[]Task nextCursor@25-11..25-11
FlatTask            taskId@26-07 status@26-07 statusMessage@26-07 createdAt@26-07 lastUpdatedAt@26-07 ttlMs@26-07 pollIntervalMs@26-07 resultType@26-07 _meta=ResultMeta
DetailedTask        taskId@26-07 status@26-07 statusMessage@26-07 createdAt@26-07 lastUpdatedAt@26-07 ttlMs@26-07 pollIntervalMs@26-07 resultType@26-07 inputRequests@26-07={}InputRequest result@26-07=CallToolResult error@26-07=Error _meta=ResultMeta

Request                jsonrpc id method params
InputRequest           method@26-07 params@26-07
elicitation/create     _meta@25-11..25-11=NoteMeta mode@25-11 message@25-06 requestedSchema@25-06=Form url@25-11 elicitationId@25-11..25-11
Form                   type properties required
sampling/createMessage messages=[]SamplingMessage maxTokens systemPrompt temperature stopSequences modelPreferences includeContext metadata
SamplingMessage        role content=Block

SubscriptionsListenResult                   resultType@26-07 _meta@26-07=ResultMeta
notifications/progress                      progressToken progress total message@25-03 _meta=NoteMeta
notifications/message                       level logger data _meta=NoteMeta
notifications/tools/list_changed            _meta=NoteMeta
notifications/subscriptions/acknowledged    notifications@26-07=Filter _meta@26-07=NoteMeta
notifications/cancelled                     requestId reason _meta=NoteMeta
notifications/tasks/status                  taskId@25-11..25-11 status@25-11..25-11 statusMessage@25-11..25-11 createdAt@25-11..25-11 lastUpdatedAt@25-11..25-11 ttl@25-11..25-11 pollInterval@25-11..25-11
notifications/tasks                         taskId@26-07 status@26-07 statusMessage@26-07 createdAt@26-07 lastUpdatedAt@26-07 ttlMs@26-07 pollIntervalMs@26-07 inputRequests@26-07={}InputRequest result@26-07=CallToolResult error@26-07=Error _meta@26-07=NoteMeta
NoteMeta                                    io.modelcontextprotocol/subscriptionId@26-07 io.modelcontextprotocol/related-task@25-11..25-11=RelatedTask
Filter                                      toolsListChanged@26-07 taskIds@26-07
`

// revisions are in order of age, long and short.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

func revisionIndex(short string) int {
	return slices.IndexFunc(revisions, func(long string) bool { return strings.HasPrefix(long, "20"+short) })
}

// member is one entry of the table.
type member struct {
	first, last int // indices of revisions
	kind        string
}

var memberKinds = parseMembers(memberTable)

func parseMembers(table string) map[string]map[string]member {
	kinds := map[string]map[string]member{}
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		kinds[words[0]] = map[string]member{}
		for _, word := range words[1:] {
			m := member{0, len(revisions) - 1, ""}
			word, m.kind, _ = strings.Cut(word, "=")
			name, span, limited := strings.Cut(word, "@")
			if limited {
				first, last, closed := strings.Cut(span, "..")
				m.first = revisionIndex(first)
				if closed {
					m.last = revisionIndex(last)
				}
			}
			kinds[words[0]][name] = m
		}
	}
	return kinds
}

// checkMembers reports every member below value that the revision does not have.
func checkMembers(path, kind string, value any, revision string) (problems []string) {
	at := slices.Index(revisions, revision)
	if element, isList := strings.CutPrefix(kind, "[]"); isList {
		list, _ := value.([]any)
		for i, item := range list {
			problems = append(problems, checkMembers(fmt.Sprintf("%s[%d]", path, i), element, item, revision)...)
		}
		return problems
	}
	object, ok := value.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s is no %s but %v", path, kind, value)}
	}
	if element, isMap := strings.CutPrefix(kind, "{}"); isMap {
		for name, item := range object {
			problems = append(problems, checkMembers(path+"."+name, element, item, revision)...)
		}
		return problems
	}
	if method, ok := object["method"].(string); ok && kind == "InputRequest" && object["params"] != nil {
		problems = checkMembers(path+".params", method, object["params"], revision)
	}
	if kind == "Block" {
		kind = fmt.Sprint("Block:", object["type"])
	}
	known, ok := memberKinds[kind]
	if !ok {
		return []string{fmt.Sprintf("%s: no revision has a %s", path, kind)}
	}
	for name, inner := range object {
		m, ok := known[name]
		switch {
		case !ok && strings.HasSuffix(kind, "Meta") && !strings.Contains(name, "modelcontextprotocol"):
			// A tool's own.
		case !ok || at < m.first || at > m.last:
			problems = append(problems, fmt.Sprintf("%s.%s: revision %s has no such member in %s", path, name, revision, kind))
		case m.kind != "":
			problems = append(problems, checkMembers(path+"."+name, m.kind, inner, revision)...)
		}
	}
	return problems
}
