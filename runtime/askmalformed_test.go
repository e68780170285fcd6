package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestMalformedAnswerAfterOnce: a run that has completed a Once does not end with an error, since the client would retry
// with the previous state and repeat the Once.
func TestMalformedAnswerAfterOnce(t *testing.T) {
	t.Parallel()
	orders := 0
	w := open(t, serve(t, tool(t, "buy", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		first, second := mcptool.Confirm(ctx, "Buy?", mcptool.Key("a")), mcptool.Confirm(ctx, "Ship?", mcptool.Key("b"))
		if first != nil {
			return nil, first
		}
		if _, err := mcptool.Once(ctx, "order", func(context.Context) (int, error) { orders++; return orders, nil }); err != nil {
			return nil, err
		}
		return &mcptool.Result{}, second
	})))
	const yes = `{"action":"accept","content":{"confirm":true}}`
	w.send(able("1", "tools/call", `,"name":"buy"`))
	retry := func(id, state, responses string) {
		w.send(able(id, "tools/call", `,"name":"buy","requestState":"`+state+`","inputResponses":{`+responses+`}`))
	}
	state := stateOf(t, w.next())
	retry("2", state, `"b":null`)
	w.want(`"id":2,"error":{"code":-32602,"message":"params.inputResponses[\"b\"]`)
	retry("3", state, `"a":`+yes+`,"b":null`)
	msg := w.next()
	if !strings.Contains(msg, `"inputRequests":{"b":`) {
		t.Errorf("got %s, want the question b again", msg)
	}
	retry("4", stateOf(t, msg), `"b":null`) // no new answers
	w.want(`"id":4,"error":{"code":-32602`)
	retry("5", stateOf(t, msg), `"b":`+yes)
	w.want(`"id":5,"result":{"content":[]`)
	if orders != 1 {
		t.Errorf("%d orders, want 1", orders)
	}
}

// TestMalformedAnswerToPrompt: a prompt rejects malformed answers as a tool does.
func TestMalformedAnswerToPrompt(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	addPrompt(t, srv, "p", func(ctx context.Context, _ noArguments) (string, error) {
		return "agreed", mcptool.Confirm(ctx, "Sure?")
	})
	w := open(t, srv)
	w.send(able("1", "prompts/get", `,"name":"p"`))
	w.send(able("2", "prompts/get", `,"name":"p","requestState":"`+stateOf(t, w.next())+`","inputResponses":{"q1":true}`))
	w.want(`"id":2,"error":{"code":-32602,"message":"params.inputResponses[\"q1\"] is not an answer to elicitation/create: `)
}

// TestMalformedAnswerToTask: tasks/update rejects malformed answers without changing the task.
func TestMalformedAnswerToTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, taskServer(t, inquisitive(t, mcptool.Task(mcptool.TaskSupportRequired))))
		w.send(tasked("1", "tools/call", `,"name":"ask"`))
		id, _ := taskOf(t, w.next())
		time.Sleep(2 * time.Second)
		asked := w.inputs(id)
		first, second := asked["First?"], asked["Second?"]
		for _, entry := range []string{`null`, `12345`, `{}`, `{"action":"agree"}`} {
			w.send(tasked("2", "tasks/update", `,"taskId":"`+id+`","inputResponses":{"`+second+`":{"action":"decline"},"`+first+`":`+entry+`}`))
			w.want(`"id":2,"error":{"code":-32602,"message":"params.inputResponses[\"` + first + `\"] is not an answer to elicitation/create: it must be an object whose action is`)
		}
		if got := w.inputs(id); len(got) != 2 {
			t.Errorf("open questions = %v, want 2", got)
		}
		w.send(tasked("3", "tasks/update", `,"taskId":"`+id+`","inputResponses":{"nope":null}`))
		w.want(`"id":3,"result":{"resultType":"complete"`)
		w.update(id, first, "a")
		w.send(tasked("4", "tasks/update", `,"taskId":"`+id+`","inputResponses":{"`+first+`":7}`)) // already answered
		w.want(`"id":4,"result":{"resultType":"complete"`)
		w.update(id, second, "b")
		synctest.Wait()
		w.update(id, w.inputs(id)["Third?"], "c")
		time.Sleep(2 * time.Second)
		w.send(tasked("5", "tasks/get", `,"taskId":"`+id+`"`))
		w.want(`"status":"completed"`, `"text":"abc"`)
	})
}
