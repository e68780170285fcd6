package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestTaskManyQuestions: MaxClientRequests limits only the questions that are open at the same time.
func TestTaskManyQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type name struct {
			Name string `json:"name"`
		}
		srv := taskServer(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			var names []string
			for i := range 5 {
				answer, err := mcptool.Elicit[name](ctx, fmt.Sprint("Question ", i))
				if err != nil {
					return nil, err
				}
				names = append(names, answer.Name)
			}
			return says(strings.Join(names, ",")), nil
		}, mcptool.Task(mcptool.TaskSupportRequired)))
		runtime.Fixed(srv).MaxClientRequests = 2
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"ask"`))
		id, _ := taskOf(t, w.next())
		for i := range 5 {
			synctest.Wait()
			w.update(id, w.inputs(id)[fmt.Sprint("Question ", i)], fmt.Sprint("n", i))
		}
		synctest.Wait()
		w.send(tasked(`"get"`, "tasks/get", `,"taskId":"`+id+`"`))
		w.want(`"status":"completed"`, `"text":"n0,n1,n2,n3,n4"`)
	})
}
