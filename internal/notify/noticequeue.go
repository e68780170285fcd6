package notify

import "time"

const (
	// maxSubject is the maximum length of the subject of a notice, in bytes. Ids of tasks, and URIs that clients may
	// subscribe to, are shorter.
	maxSubject = 4 << 10
	// maxSubjects is the maximum number of queued subjects of one kind. With maxSubject it bounds the memory of a queue
	// to 8 MiB.
	maxSubjects = 1024
)

// noticeQueue is the notices to be published, without duplicates, in the order in which they were added. If there are
// too many resources or tasks, further notices about them are dropped. For dropped resources it has a notice that the
// list has changed, so that clients are notified of at least that. The server of a changed task notices the change
// without it. The zero value is empty.
type noticeQueue struct {
	list     []queuedNotice
	known    map[Notice]struct{}
	subjects map[Kind]int // number of notices in known with a subject
}

// queuedNotice is a notice in a queue.
type queuedNotice struct {
	Notice
	since time.Time // when it was first added
}

// add adds a notice, unless it is already queued.
func (q *noticeQueue) add(n queuedNotice) {
	if _, ok := q.known[n.Notice]; ok {
		return
	}
	if n.Subject != "" && (len(n.Subject) > maxSubject || q.subjects[n.Kind] == maxSubjects) {
		if n.Kind == resourceUpdated {
			q.add(queuedNotice{Resources.changed(), n.since})
		}
		return
	}
	if q.known == nil {
		q.known, q.subjects = map[Notice]struct{}{}, map[Kind]int{}
	}
	q.known[n.Notice] = struct{}{}
	if n.Subject != "" {
		q.subjects[n.Kind]++
	}
	q.list = append(q.list, n)
}

// take removes the oldest notice, and reports whether there was one.
func (q *noticeQueue) take() (n queuedNotice, ok bool) {
	if len(q.list) == 0 {
		return n, false
	}
	n = q.list[0]
	if len(q.list) == 1 {
		*q = noticeQueue{} // maps do not shrink
		return n, true
	}
	q.list = q.list[1:]
	delete(q.known, n.Notice)
	if n.Subject != "" {
		q.subjects[n.Kind]--
	}
	return n, true
}
