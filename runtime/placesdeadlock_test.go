package runtime_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestPlacesListerDeadlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := tool(t, "inner", echo)
		pad := json.RawMessage(`{"pad":"` + strings.Repeat("x", 20<<10) + `"}`)
		srv := serve(t, tool(t, "echo", echo))
		addResource(t, srv, "rv://{id}", func(context.Context, textID) (string, error) { return "x", nil }, mcptool.Concurrent(1), mcptool.ListWith(
			func(ctx context.Context, cursor string) (page []mcptool.ResourceLink, next string, err error) {
				if cursor != "" {
					return nil, "", nil
				}
				time.Sleep(time.Second)
				_, err = inner.Call(ctx, pad)
				for i := range 30 {
					page = append(page, mcptool.ResourceLink{Name: "n" + strconv.Itoa(i), URI: "rv://" + strconv.Itoa(i), Description: strings.Repeat("x", 1000)})
				}
				return page, "2", err
			}))
		e := srv.Endpoint(t.Context())
		began := time.Now()
		var all []*recorder
		for range places() + 1 {
			x := newRecorder()
			all = append(all, x)
			go e.Answer(t.Context(), access(srv, modern("1", "resources/list", ""), "ann"), x)
			synctest.Wait()
		}
		for _, x := range all {
			<-x.done
			if took := time.Since(began); took > 10*time.Second || !strings.Contains(x.last, "rv://1") {
				t.Errorf("answered after %v: %.200s", took, x.last)
			}
		}
	})
}
