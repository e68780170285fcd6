package jetstream_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/runtime/bus"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestPermissions checks that the documented permissions are enough, and that a missing one is reported at once.
func TestPermissions(t *testing.T) {
	t.Parallel()
	publish, subscribe := []string{"mcptool.>", "$JS.API.>"}, []string{"mcptool.>", "_INBOX.>"}
	users := map[string]*server.Permissions{
		"all":          {Publish: &server.SubjectPermission{Allow: publish}, Subscribe: &server.SubjectPermission{Allow: subscribe}},
		"noHeartbeats": {Publish: &server.SubjectPermission{Deny: []string{"mcptool.instance.>"}}},
		"noNotices":    {Subscribe: &server.SubjectPermission{Deny: []string{"mcptool.notice"}}},
		"noChanges":    {Subscribe: &server.SubjectPermission{Deny: []string{"mcptool.changed.>"}}},
	}
	var opts server.Options
	for name, allowed := range users {
		opts.Users = append(opts.Users, &server.User{Username: name, Password: "secret", Permissions: allowed})
	}
	address := strings.TrimPrefix(natsServerWith(t, &opts), "nats://")
	for name, denied := range map[string]string{"noHeartbeats": `Publish to "mcptool.instance.`, "noNotices": `Subscription to "mcptool.notice"`, "noChanges": `Subscription to "mcptool.changed.`} {
		began := time.Now()
		c, err := jetstream.Connect("nats://"+name+":secret@"+address, jetstream.Options{})
		if err == nil {
			closed(t, c)
		}
		if err == nil || !strings.Contains(err.Error(), denied) || !strings.Contains(err.Error(), "permissions") {
			t.Errorf("%s: the error is %v, want one with %s", name, err, denied)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}

	log := &logs{}
	c := connect(t, "nats://all:secret@"+address, jetstream.Options{Lease: shortLease, Logger: log.logger()})
	got := subscribed(t, c.Bus())
	put(t, c.Tasks(), tasktest.Record("a", "ann", time.Hour))
	finish(t, c.Tasks(), "a")
	free(t, c.Tasks(), "b")
	if r, err := claim(t, c.Tasks(), "owner"); err != nil || r.ID != "b" {
		t.Errorf("claimed %q, %v", r.ID, err)
	}
	for r, err := range c.Records(t.Context()) {
		if err != nil {
			t.Errorf("Records: %s, %v", r.ID, err)
		}
	}
	if err := c.Tasks().Delete(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if err := c.Bus().Publish(t.Context(), bus.Notice{Kind: "x"}); err != nil || (<-got).Kind != "x" {
		t.Errorf("a notice: %v", err)
	}
	if log.String() != "" {
		t.Errorf("the log has\n%s", log)
	}
}
