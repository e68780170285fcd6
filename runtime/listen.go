package runtime

import (
	"bytes"
	"context"
	"slices"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// listen is a subscription, a subscriptions/listen request, which is answered when the session ends. All its messages
// contain its id.
type listen struct {
	from      *origin
	out       respond.Out
	isShared  bool // see route
	version   wire.Version
	op        *observation
	session   *session
	key       string // of id, see envelope.Key
	id        []byte
	lists     notify.Set              // whose changes are announced
	changes   *notify.Stream          // of lists and resources
	tasks     []string                // ids of the tasks whose changes are announced
	notice    chan struct{}           // holds a value while the record of a task is read and its notification sent
	resources []*resourceSubscription // whose updates are announced
	ctx       context.Context         // ends with the subscription
	stop      context.CancelFunc
	who       admission.Caller // whose share the tasks count against, each as a call, and the memory of resources
}

// beginListening begins a subscription. It is granted even if the server has nothing that the client subscribes to,
// because clients open subscriptions routinely.
func (l *lists) beginListening(r *request) *wireError {
	wanted, err := readFilter(r)
	switch {
	case err != nil:
		return err
	case r.noListening:
		none := newListen(r)
		none.acknowledge(&filter{})
		none.end()
		return nil
	case !r.from.isSession:
		return internalError("this connection does not support subscriptions")
	}
	if len(wanted.tasks) == 0 && (len(wanted.resources) == 0 || !l.resources.authorize()) {
		return listenTo(r, &wanted, nil, newReadable(r, wanted.resources))
	}
	return useStore(r, func(r *request, x *storeRequest) *wireError {
		own, err := ownTasks(r, wanted.tasks)
		resources := newReadable(r, wanted.resources)
		if err != nil || !x.leave(r) {
			return err
		}
		return listenTo(r, &wanted, own, resources)
	})
}

// readable is the resources that the caller of a request may subscribe to.
type readable struct {
	reader *resourceReader
	uris   []string
}

// newReadable returns the URIs of resources that exist for the caller and that the caller may read.
func newReadable(r *request, uris []string) (found readable) {
	if len(uris) == 0 {
		return found
	}
	ctx, cancel := context.WithTimeout(r.from.ctx, authorizeTime)
	defer cancel()
	found.reader = newResourceReader(r)
	for _, uri := range uris {
		if found.reader.finds(ctx, uri, false) {
			found.uris = append(found.uris, uri)
		}
	}
	return found
}

// listenTo begins a subscription to the wanted notifications; own are the tasks that the client may see, and resources
// those that it may read.
func listenTo(r *request, wanted *filter, own []string, resources readable) *wireError {
	s := sessionOf(r.from)
	l := newListen(r)
	l.tasks = own
	l.lists = wanted.lists.And(s.notices.Offered())
	l.changes = s.changes.NewStream(l.announce)
	l.changes.SetLists(l.lists, r.access.audience(), false)
	if s.notices.Offered()[notify.Resources] {
		l.resources = l.subscriptions(resources)
	} else {
		wanted.resources = nil
	}
	if err := l.begin(); err != nil {
		return err
	}
	s.changes.Join()
	l.acknowledge(wanted)
	l.changes.Begin()
	for _, id := range l.tasks {
		go l.follow(id, r.access)
	}
	return nil
}

// newListen returns a subscription to nothing.
func newListen(r *request) *listen {
	to := r.route.later()
	l := &listen{
		from: r.from, isShared: to.isShared, version: r.version, op: r.op, session: sessionOf(r.from),
		key: envelope.Key(r.id), id: bytes.Clone(r.id), notice: make(chan struct{}, 1), who: r.access.caller(),
	}
	l.out.To = to.to
	return l
}

// begin counts l against the limits, and enrolls it.
func (l *listen) begin() *wireError {
	s := l.session
	if err := s.inFlight.await(l.who, len(l.tasks)); err != nil {
		return err
	}
	if err := s.memory.Take(l.who, l.cost(), admission.Within); err != nil {
		s.inFlight.Give(l.who, len(l.tasks))
		return noRoomToSubscribe()
	}
	l.ctx, l.stop = context.WithCancel(s.ctx)
	if err := s.subscribe(l, l.resources...); err != nil {
		l.stop()
		l.giveBack()
		return err
	}
	return nil
}

// cost returns the number of bytes of [Limits.MaxMemoryBytes] that the subscriptions to resources count for.
func (l *listen) cost() int {
	if len(l.resources) == 0 {
		return 0
	}
	cost := l.resources[0].reader.cost()
	for _, sub := range l.resources {
		cost += sub.cost()
	}
	return cost
}

// subscriptions returns subscriptions to the resources, without duplicates.
func (l *listen) subscriptions(to readable) (subs []*resourceSubscription) {
	known := map[string]bool{}
	for _, uri := range to.uris {
		if sub := newSubscription(l.session, l.changes, l, to.reader, uri); sub != nil && !known[sub.Key] {
			known[sub.Key] = true
			subs = append(subs, sub)
		}
	}
	return subs
}

// acknowledge sends the first message of the subscription: the part of the wanted notifications that the client will
// get.
func (l *listen) acknowledge(wanted *filter) {
	wire.Compose(l.note, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{`...)
		dst = l.lists.Append(dst)
		if wanted.resources != nil {
			dst = append(rawjson.AppendName(dst, "resourceSubscriptions"), '[')
			for _, sub := range l.resources {
				dst = rawjson.AppendString(rawjson.AppendComma(dst), sub.URI)
			}
			dst = append(dst, ']')
		}
		if wanted.tasks != nil {
			dst = rawjson.AppendStrings(rawjson.AppendName(dst, "taskIds"), l.tasks)
		}
		return append(l.appendID(append(dst, '}')), `}}`...)
	})
}

// subscribe enrolls a request that is answered when it ends, with its subscriptions to resources.
func (s *session) subscribe(p respond.Pending, subs ...*resourceSubscription) *wireError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listens >= s.limits.MaxSubscriptions {
		return errManyListens
	}
	if err := s.refusal(s.conn.Add(p)); err != nil {
		return err
	}
	s.listens++
	for _, sub := range subs {
		sub.Begin()
	}
	return nil
}

// appendID appends the member _meta with the id of the subscription.
func (l *listen) appendID(dst []byte) []byte {
	dst = append(rawjson.AppendName(dst, "_meta"), '{')
	dst = append(rawjson.AppendName(dst, wire.MetaSubscriptionID), l.id...)
	return append(dst, '}')
}

// announce notifies the client that a list has changed.
func (l *listen) announce(list notify.List) {
	wire.Compose(l.note, func(dst []byte) []byte {
		dst = list.AppendChanged(dst)
		return append(l.appendID(append(dst, `,"params":{`...)), `}}`...)
	})
}

// note sends a notification.
func (l *listen) note(msg []byte) { l.from.sent(l.out.Notify(msg)) }

// Key implements [respond.Pending].
func (l *listen) Key() string { return l.key }

// IsUnread implements [respond.Pending].
func (*listen) IsUnread() bool { return false }

// Cancelled implements [respond.Pending]: the client ends the subscription, and gets no answer.
func (l *listen) Cancelled(string) {
	defer l.op.end(observe.OutcomeCancelled, nil, 0) // also if the transport panics
	l.from.sent(l.out.Cancel(l.left))
}

// Abandoned implements [respond.Pending]: the server ends the subscription with its result, which also ends its stream if that
// serves only the subscription. On a connection with one stream for all messages the specification requires
// notifications/cancelled as well; clients ignore the second of these messages.
func (l *listen) Abandoned() {
	l.left()
	s := l.session
	s.conn.Remove(l)
	l.end()
	if !l.isShared {
		return
	}
	wire.Compose(s.note, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`...)
		return append(l.appendID(append(dst, l.id...)), `}}`...)
	})
}

// end sends the result of the subscription.
func (l *listen) end() {
	wire.Compose(func(msg []byte) {
		defer l.op.end(observe.OutcomeOK, nil, len(msg)) // also if the transport panics
		l.from.sent(l.out.Respond(msg, engine.End{}))
	}, func(dst []byte) []byte {
		meta := append(rawjson.AppendName(nil, wire.MetaSubscriptionID), l.id...)
		return wire.EndResponse(l.from.serverInfo.AppendTail(append(wire.BeginResult(dst, l.id), '{'), wire.Complete, l.version, meta))
	})
}

// left releases everything that l has begun.
func (l *listen) left() {
	l.stop()
	l.changes.End()
	l.session.unsubscribe(l.resources...)
	l.giveBack()
}

// giveBack stops counting l against the limits.
func (l *listen) giveBack() {
	l.from.inFlight.Give(l.who, len(l.tasks))
	l.from.memory.Give(l.who, l.cost())
}

// unsubscribe undoes subscribe.
func (s *session) unsubscribe(subs ...*resourceSubscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listens--
	for _, sub := range subs {
		sub.End()
	}
}

// follow notifies the client of the state of a task, now and after each visible change, until the task or the
// subscription has ended. If the client does not read, the stream holds one notification: the record of another task is
// not read before that is sent.
func (l *listen) follow(id string, a *Access) {
	defer contain.Panic(l.ctx, l.from.log, "task cannot be followed")
	store := newStoreContext(l.ctx, l.from.memory, a)
	store.waits, store.exclusive = true, l.notice
	defer store.Release()
	var last []byte // previous notification
	for seen := uint64(0); ; {
		r, err := l.from.tasks.Store().Wait(store, id, seen)
		if err != nil {
			return // no more notifications follow
		}
		err = l.tell(store, a, &r, func(msg []byte) {
			switch {
			case r.Status.Ended():
				l.note(msg)
			case !bytes.Equal(msg, last):
				last = append(last[:0], msg...)
				l.note(msg)
			}
		})
		if err != nil || r.Status.Ended() {
			return
		}
		seen = r.Version
		store.Release()
	}
}

// tell sends the notification with the state of a task. Before it writes a long result, it waits for a slot for
// long work. The error means that the subscription has ended before.
func (l *listen) tell(ctx context.Context, a *Access, r *task.Record, deliver func(msg []byte)) error {
	size := len(r.Result)
	leave, err := l.from.slots.enter(ctx, a, size)
	if err != nil {
		return err
	}
	defer leave()
	wire.Compose(func(msg []byte) {
		leave()
		deliver(msg)
	}, func(dst []byte) []byte {
		dst = append(slices.Grow(dst, size+restOfPage), `{"jsonrpc":"2.0","method":"notifications/tasks","params":{`...)
		return append(l.appendID(wire.AppendTaskDetails(dst, r, l.version)), `}}`...)
	})
	return nil
}
