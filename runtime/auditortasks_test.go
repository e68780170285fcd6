package runtime_test

import "strings"

// ofTasks returns the definition and the kind of a result that concerns tasks. The official schemas
// of later revisions than 2025-11-25 do not define them, and the extension has no schema.
func ofTasks(q asked, result map[string]any) (definition, members string, ok bool) {
	_, created := result["task"]
	switch {
	case q.method == "tools/call" && created && q.revision == "2025-11-25":
		return "CreateTaskResult", "CreateTaskResult", true
	case q.method == "tools/call" && result["resultType"] == "task":
		return "Result", "FlatTask", true
	case q.method == "tasks/get" && q.revision == modernRevision:
		return "Result", "DetailedTask", true
	case strings.HasPrefix(q.method, "tasks/") && q.revision == modernRevision:
		return "Result", "EmptyResult", true
	case q.method == "tasks/result":
		return "CallToolResult", "CallToolResult", true
	case strings.HasPrefix(q.method, "tasks/"):
		return results[q.method].definition, results[q.method].kind, true
	default:
		return "", "", false
	}
}
