package load

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// Marks of responses other than plain success. A response without any of them need not be parsed as JSON, which saves
// CPU time for a server on the same machine.
var (
	resultMark   = []byte(`"result":`)
	isErrorMark  = []byte(`"isError"`)
	errorMark    = []byte(`"error"`)
	typeMark     = []byte(`"resultType"`)
	completeMark = []byte(`"resultType":"complete"`)
)

// Judge checks a raw JSON-RPC response to tools/call. It returns nil for a complete result that is not an error,
// otherwise a [*CallError].
func Judge(answer []byte) error {
	plain := bytes.Contains(answer, resultMark) && !bytes.Contains(answer, isErrorMark) && !bytes.Contains(answer, errorMark) &&
		(!bytes.Contains(answer, typeMark) || bytes.Contains(answer, completeMark))
	if plain {
		return nil
	}
	var got struct {
		Result *struct {
			IsError    bool             `json:"isError"`
			ResultType string           `json:"resultType"`
			Content    []client.Content `json:"content"`
		} `json:"result"`
		Error *client.RPCError `json:"error"`
	}
	if err := strictjson.Decode(answer, &got); err != nil {
		return &CallError{ProtocolError, fmt.Sprintf("an answer that cannot be read: %v", err)}
	}
	switch {
	case got.Error != nil:
		return &CallError{ProtocolError, fmt.Sprintf("%s (%d)", got.Error.Message, got.Error.Code)}
	case got.Result == nil:
		return &CallError{ProtocolError, "an answer without result: " + cut(string(answer))}
	case got.Result.IsError:
		return toolError(got.Result.Content)
	case got.Result.ResultType != "" && got.Result.ResultType != "complete":
		return &CallError{ProtocolError, fmt.Sprintf("the result is %q, not complete: the tool asks for something that a load has no answer to", got.Result.ResultType)}
	default:
		return nil
	}
}

// toolError returns the error of a tool that failed: the first text of its result, on one line.
func toolError(content []client.Content) *CallError {
	if len(content) == 0 || content[0].Text == "" {
		return &CallError{ToolError, "no text"}
	}
	return &CallError{ToolError, cut(content[0].Text)}
}

// cut returns text on one line, truncated.
func cut(text string) string { return terminal.Shorten(strings.Join(strings.Fields(text), " "), 201) }
