package main

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// answerTo returns the answer of the official suite, by the kind of question and its
// subject.
func answerTo(method, params string) string {
	switch {
	case method == "roots/list":
		return `{"roots":[{"uri":"file:///workspace","name":"workspace"}]}`
	case method == "sampling/createMessage":
		return `{"role":"assistant","content":{"type":"text","text":"Paris"},"model":"test-model","stopReason":"endTurn"}`
	case strings.Contains(params, `"legacyEnum"`):
		return `{"action":"accept","content":{"untitledSingle":"option1","titledSingle":"value1","legacyEnum":"opt1","untitledMulti":["option1","option2"],"titledMulti":["value1","value2"]}}`
	case strings.Contains(params, `"verified"`):
		return `{"action":"accept","content":{"name":"Jane Smith","age":25,"score":88,"status":"inactive","verified":false}}`
	default:
		return `{"action":"accept","content":{"name":"Alice","color":"blue","ok":true,"username":"alice","email":"a@example.com","context":"rain"}}`
	}
}

// TestAsk answers the tools' questions as the official suite does until the calls are
// done.
func TestAsk(t *testing.T) {
	t.Parallel()
	handler, err := streamhttp.NewHandler(newServer())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	const all = `{"elicitation":{},"sampling":{},"roots":{}}`
	for _, test := range []struct {
		name, params, capabilities string
		asked                      []string // methods, by round
		want                       string
	}{
		{"test_sampling", `,"arguments":{"prompt":"Hello"}`, all, []string{"sampling/createMessage"}, "LLM response: Paris"},
		{"test_elicitation", `,"arguments":{"message":"Who?"}`, all, []string{"elicitation/create"}, `\"username\":\"alice\"`},
		{"test_elicitation_sep1034_defaults", "", all, []string{"elicitation/create"}, `\"score\":88`},
		{"test_elicitation_sep1330_enums", "", all, []string{"elicitation/create"}, `\"legacyEnum\":\"opt1\"`},
		{"test_input_required_result_elicitation", "", all, []string{"elicitation/create"}, "Hello, Alice!"},
		{"test_input_required_result_sampling", "", all, []string{"sampling/createMessage"}, "Paris"},
		{"test_input_required_result_list_roots", "", all, []string{"roots/list"}, "file:///workspace"},
		{"test_input_required_result_request_state", "", all, []string{"elicitation/create"}, "state-ok"},
		{"test_input_required_result_tampered_state", "", all, []string{"elicitation/create"}, "state-ok"},
		{"test_input_required_result_multiple_inputs", "", all, []string{"elicitation/create roots/list sampling/createMessage"}, "Alice: Paris (1 roots)"},
		{"test_input_required_result_multi_round", "", all, []string{"elicitation/create", "elicitation/create"}, "Alice likes blue"},
		{"test_input_required_result_capabilities", "", all, []string{"elicitation/create"}, "Alice"},
		{"test_input_required_result_capabilities", "", `{"sampling":{}}`, []string{"sampling/createMessage"}, "Paris"},
		{"test_input_required_result_prompt", "", all, []string{"elicitation/create"}, "The context is: rain"},
	} {
		method := "tools/call"
		if strings.HasSuffix(test.name, "_prompt") {
			method = "prompts/get"
		}
		params, round := "", 0
		for ; ; round++ {
			answer := postAs(t, test.capabilities, server.URL, method, test.name, `,"name":"`+test.name+`"`+test.params+params)
			var m struct {
				Result struct {
					InputRequests map[string]struct {
						Method string
						Params json.RawMessage
					}
					RequestState string
				}
			}
			if err := json.Unmarshal([]byte(answer), &m); err != nil {
				t.Fatalf("%s: %v in %s", test.name, err, answer)
			}
			if len(m.Result.InputRequests) == 0 || round == len(test.asked) {
				if !strings.Contains(answer, test.want) || !strings.Contains(answer, `"resultType":"complete"`) || round != len(test.asked) {
					t.Errorf("%s, round %d: want %s in %s", test.name, round+1, test.want, answer)
				}
				break
			}
			var responses []string
			for key, q := range m.Result.InputRequests {
				if !strings.Contains(test.asked[round], q.Method) {
					t.Errorf("%s, round %d: asked %s %s, want %s", test.name, round+1, q.Method, q.Params, test.asked[round])
				}
				responses = append(responses, `"`+key+`":`+answerTo(q.Method, string(q.Params)))
			}
			params = `,"requestState":"` + m.Result.RequestState + `","inputResponses":{` + strings.Join(responses, ",") + `}`
		}
	}
}
