package notify

import (
	"fmt"
	"strings"
	"testing"
)

// TestNoticeQueue: a notice is queued once, and what is queued is bounded, whatever is added.
func TestNoticeQueue(t *testing.T) {
	t.Parallel()
	updated := func(uri string) queuedNotice {
		return queuedNotice{Notice: Notice{Kind: resourceUpdated, Subject: uri}}
	}
	for _, test := range []struct {
		name   string
		add    func(q *noticeQueue)
		length int
		last   Notice
		reason string
	}{
		{"one URI", func(q *noticeQueue) {
			for range 100_000 {
				q.add(updated("docs://a"))
			}
		}, 1, Notice{Kind: resourceUpdated, Subject: "docs://a"}, "equal notices are one"},
		{"many URIs", func(q *noticeQueue) {
			for i := range 100_000 {
				q.add(updated(fmt.Sprintf("docs://%d", i)))
			}
		}, maxSubjects + 1, Resources.changed(), "the list stands for those that are too many"},
		{"a long URI", func(q *noticeQueue) {
			q.add(updated("docs://" + strings.Repeat("a", maxSubject)))
		}, 1, Resources.changed(), "receivers would ignore it"},
		{"many tasks", func(q *noticeQueue) {
			for i := range 100_000 {
				q.add(queuedNotice{Notice: Notice{Kind: taskChanged, Subject: fmt.Sprint(i)}})
			}
		}, maxSubjects, Notice{Kind: taskChanged, Subject: fmt.Sprint(maxSubjects - 1)}, "the store tells of the others"},
		{"tasks beside URIs", func(q *noticeQueue) {
			for i := range maxSubjects {
				q.add(updated(fmt.Sprintf("docs://%d", i)))
			}
			q.add(queuedNotice{Notice: Notice{Kind: taskChanged, Subject: "1"}})
		}, maxSubjects + 1, Notice{Kind: taskChanged, Subject: "1"}, "each kind has its own bound"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var q noticeQueue
			test.add(&q)
			n, taken := Notice{}, 0
			for next, ok := q.take(); ok; next, ok = q.take() {
				n = next.Notice
				taken++
			}
			if taken != test.length || n != test.last {
				t.Errorf("%d notices, the last is %v; want %d, %v: %s", taken, n, test.length, test.last, test.reason)
			}
			if q.list != nil || q.known != nil || q.subjects != nil {
				t.Error("an empty queue keeps memory")
			}
			q.add(updated("docs://a"))
			if len(q.list) != 1 {
				t.Error("nothing can be added any more")
			}
		})
	}
}
