package runtime

import "time"

const (
	// maxSubject is the length of the longest subject of a notice, in bytes. Ids of tasks and URIs that clients may subscribe
	// to are shorter.
	maxSubject = 4 << 10
	// maxSubjects is how many subjects of one kind are queued. It bounds the memory of a queue, with maxSubject to 8 MiB.
	maxSubjects = 1024
)

// noticeQueue is notices that are to be published, each once, in the order in which they were added. Of the resources and
// tasks that are too many, it has no notices. For such resources it has one that the list has changed: clients then
// learn at least that something has. The server of a task that has changed notices that by itself. The zero value is empty.
type noticeQueue struct {
	list     []queuedNotice
	known    map[Notice]struct{}
	subjects map[NoticeKind]int // how many of known have one
}

// queuedNotice is a notice in a queue.
type queuedNotice struct {
	Notice
	since time.Time // when it was added first
}

// add adds a notice, unless it is queued already.
func (q *noticeQueue) add(n queuedNotice) {
	if _, ok := q.known[n.Notice]; ok {
		return
	}
	if n.Subject != "" && (len(n.Subject) > maxSubject || q.subjects[n.Kind] == maxSubjects) {
		if n.Kind == ResourceUpdated {
			q.add(queuedNotice{Notice{Kind: ResourcesChanged}, n.since})
		}
		return
	}
	if q.known == nil {
		q.known, q.subjects = map[Notice]struct{}{}, map[NoticeKind]int{}
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
