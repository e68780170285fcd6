package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// shortLease is for tests that wait for a lease to expire.
const shortLease = time.Second

// free creates a durable task without a lease.
func free(t *testing.T, q task.Queue, id string) {
	t.Helper()
	put(t, q, tasktest.Durable(id, "ann", time.Hour))
	if err := q.Release(t.Context(), id, 1, "a test"); err != nil {
		t.Fatal(err)
	}
}

// claim claims a task that becomes free within some seconds.
func claim(t *testing.T, q task.Queue, owner string) (task.Record, error) {
	t.Helper()
	return claimWithin(t, q, owner, 10*time.Second)
}

func claimWithin(t *testing.T, q task.Queue, owner string, within time.Duration) (task.Record, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	return q.Claim(ctx, owner)
}

// TestClaimTooLate checks that an instance whose write arrives after its lease has expired and another one has claimed
// the task does not get the task and does not disturb the other one.
func TestClaimTooLate(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	p, through := newNATSProxy(t, address)
	b := connect(t, address, jetstream.Options{}).Tasks() // its lease outlives the test, also on a busy machine
	a := connect(t, through, jetstream.Options{Lease: shortLease}).Tasks()
	free(t, b, "x")
	claimed := make(chan struct{})
	forward := sync.OnceFunc(func() { close(claimed) })
	defer forward()
	delayed := p.once("mcptool.task.", "", fault{hold: claimed})
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_, err := a.Claim(ctx, "a")
		ended <- err
	}()
	eventually(t, "a writes", func() error {
		if !delayed.Load() {
			return errors.New("not yet")
		}
		return nil
	})
	r, err := claim(t, b, "b")
	if err != nil || r.Durable.Epoch != 2 {
		t.Fatalf("b claims %+v, %v", r.Durable, err)
	}
	forward()
	time.AfterFunc(2*shortLease, cancel) // time for the write of a, and for a to look for other tasks
	for {
		if err := b.Renew(t.Context(), "x", 2); err != nil {
			t.Fatalf("b renews: %v", err)
		}
		select {
		case err := <-ended:
			wantErr(t, "a claims", err, context.Canceled)
			r.Message = "undisturbed"
			if _, err := b.Update(t.Context(), r); err != nil {
				t.Errorf("b stores: %v", err)
			}
			return
		case <-time.After(shortLease / 5):
		}
	}
}

// TestCreateHalf breaks the connection at each point of creating a durable task: afterwards the task either does not
// exist or can be claimed. Creating it again at once succeeds or reports that it exists.
func TestCreateHalf(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ prefix, ending string }{
		"lease": {"mcptool.durable.", ".lease"}, "message": {"mcptool.durable.", ".task"}, "record": {"mcptool.task.", ""},
	} {
		for _, again := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s again=%t", name, again), func(t *testing.T) {
				t.Parallel()
				address := natsServer(t)
				p, through := newNATSProxy(t, address)
				opts := jetstream.Options{Lease: shortLease}
				a, b := connect(t, through, opts).Tasks(), connect(t, address, opts).Tasks()
				p.once(test.prefix, test.ending, fault{cut: true})
				wantErr(t, "Create", a.Create(t.Context(), tasktest.Durable("x", "ann", time.Hour)), jetstream.ErrUnavailable)
				if again {
					if err := b.Create(t.Context(), tasktest.Durable("x", "ann", time.Hour)); err != nil && !errors.Is(err, task.ErrExists) {
						t.Errorf("it cannot be created again: %v", err)
					}
				}
				time.Sleep(3 * shortLease) // until the lease has expired
				_, err := b.Get(t.Context(), "x")
				if errors.Is(err, task.ErrNotFound) && !again {
					return
				}
				if r, err := claim(t, b, "b"); err != nil || r.ID != "x" {
					t.Errorf("a task that is there cannot be claimed: %v", err)
				}
			})
		}
	}
}

// TestOpenRetries checks that a heartbeat that gets no response is sent again within the timeout of Connect.
func TestOpenRetries(t *testing.T) {
	t.Parallel()
	p, through := newNATSProxy(t, natsServer(t))
	dropped := p.once("mcptool.instance.", "", fault{drop: true})
	connect(t, through, jetstream.Options{})
	if !dropped.Load() {
		t.Error("no heartbeat was dropped")
	}
}

// TestLookUpAgain checks that reads are retried if there is no response.
func TestLookUpAgain(t *testing.T) {
	t.Parallel()
	p, through := newNATSProxy(t, natsServer(t))
	q := connect(t, through, jetstream.Options{}).Tasks()
	put(t, q, tasktest.Record("x", "ann", time.Hour))
	for _, what := range []string{"MSG.GET.mcptool-records", "INFO.mcptool-records"} {
		dropped := p.once("$JS.API.STREAM."+what, "", fault{drop: true})
		if _, err := q.Get(t.Context(), "x"); err != nil {
			t.Errorf("Get: %v", err)
		}
		if list, err := q.List(t.Context(), task.Owner{Principal: "ann"}, "", 9); err != nil || len(list) != 1 {
			t.Errorf("List: %d records, %v", len(list), err)
		}
		if !dropped.Load() {
			t.Errorf("no request to %s was dropped", what)
		}
	}
}

// TestForeignMessages checks that foreign messages in the stream of durable tasks are not claimed, nor used as
// wildcards.
func TestForeignMessages(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	q := connect(t, address, jetstream.Options{Lease: shortLease}).Tasks()
	js := jetStream(t, address)
	put(t, q, tasktest.Durable("held", "ann", time.Hour))
	for _, subject := range []string{"x", "*.task", ">", "*.lease", "a.b.task", "nothing.task", "nothing.lease", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.task"} {
		if _, err := js.Publish(t.Context(), "mcptool.durable."+subject, []byte("no JSON")); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(2 * shortLease); time.Now().Before(end); {
		ctx, cancel := context.WithTimeout(t.Context(), shortLease/4)
		if r, err := q.Claim(ctx, "b"); err == nil {
			t.Errorf("claimed %s while its lease is renewed", r.ID)
		}
		cancel()
		if err := q.Renew(t.Context(), "held", 1); err != nil {
			t.Fatalf("Renew: %v", err)
		}
	}
}

// TestNonsense checks that records that cannot be run do not keep others from being claimed.
func TestNonsense(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	q := connect(t, address, jetstream.Options{Lease: shortLease}).Tasks()
	js := jetStream(t, address)
	stream := streamOf(t, js, "mcptool-records")
	for i, damage := range []string{`"status":"working"`, `"epoch":1`, `"version":1`, `{`} {
		id := fmt.Sprint("bad", i)
		put(t, q, tasktest.Durable(id, "ann", time.Hour))
		info, err := stream.Info(t.Context(), natsjs.WithSubjectFilter("mcptool.task.>"))
		if err != nil {
			t.Fatal(err)
		}
		for subject := range info.State.Subjects {
			m, err := stream.GetLastMsgForSubject(t.Context(), subject)
			if err != nil {
				t.Fatal(err)
			}
			if spoilt, ok := spoil(string(m.Data), id, damage); ok {
				if _, err := js.Publish(t.Context(), subject, []byte(spoilt)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	time.Sleep(2 * shortLease) // so that they are found first
	free(t, q, "good")
	if r, err := claim(t, q, "b"); err != nil || r.ID != "good" {
		t.Errorf("claimed %q, %v", r.ID, err)
	}
}

// TestCreateTogether has several instances create a task with the same id in a cluster at the same time: one succeeds,
// and its record stays.
func TestCreateTogether(t *testing.T) {
	t.Parallel()
	c := newCluster(t, jetstream.Options{})
	for i := range 40 {
		id := fmt.Sprint("task ", i)
		var all sync.WaitGroup
		errs := make([]error, len(c.conns))
		for k, conn := range c.conns {
			all.Go(func() {
				errs[k] = conn.Tasks().Create(t.Context(), tasktest.Record(id, fmt.Sprint("principal ", k), time.Hour))
			})
		}
		all.Wait()
		created := -1
		for k, err := range errs {
			switch {
			case err == nil && created >= 0:
				t.Errorf("%s was created twice", id)
			case err == nil:
				created = k
			case !errors.Is(err, task.ErrExists):
				t.Errorf("%s: %v", id, err)
			}
		}
		if created < 0 {
			continue // each of the others may have given way
		}
		if r, err := c.conns[0].Tasks().Get(t.Context(), id); err != nil || r.Principal != fmt.Sprint("principal ", created) {
			t.Errorf("%s, which was created, is %q, %v", id, r.Principal, err)
		}
	}
}

// spoil damages the message of a record if it has the given id.
func spoil(message, id, part string) (spoilt string, ok bool) {
	if !strings.Contains(message, `"id":"`+id+`"`) {
		return "", false
	}
	replacements := map[string]string{
		`"status":"working"`: `"status":"asleep"`, `"epoch":1`: `"epoch":18446744073709551615`, `"version":1`: `"version":18446744073709551615`, `{`: ``,
	}
	return strings.Replace(message, part, replacements[part], 1), true
}
