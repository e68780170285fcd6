package runtime_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestPlacesListerHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		addResource(t, srv, "rv://{id}", func(context.Context, textID) (string, error) { return "x", nil }, mcptool.ListWith(
			func(ctx context.Context, cursor string) (page []mcptool.ResourceLink, next string, err error) {
				if cursor != "" {
					time.Sleep(10 * time.Minute)
					return nil, "", nil
				}
				for i := range 30 {
					page = append(page, mcptool.ResourceLink{Name: "n" + strconv.Itoa(i), URI: "rv://" + strconv.Itoa(i), Description: strings.Repeat("x", 1000)})
				}
				return page, "2", nil
			}))
		e := srv.Endpoint(t.Context())
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "resources/list", ""), "mallory"), x)
		}
		synctest.Wait()
		took, last := probe(t, srv, e, "ann")
		if took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
		time.Sleep(time.Hour)
	})
}
