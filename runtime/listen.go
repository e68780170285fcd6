package runtime

import (
	"bytes"
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// listen is a subscription: a subscriptions/listen, which is answered when the session ends. All its messages contain
// its id.
type listen struct {
	exchange
	key   string // of id, see envelope.Key
	id    []byte
	tools bool            // it is notified of changes of the tools
	tasks []task.Record   // and of these tasks; as they were in the beginning
	ctx   context.Context // ends with it
	stop  context.CancelFunc
	who   Caller // that the tasks count for, each as a call

	// Guarded by Session.mu.
	acknowledged bool
	seen         uint64 // generation of the tools the client knows about
}

// listen begins a subscription. It is granted even if the client subscribes to nothing that this server has, because
// clients open subscriptions as a matter of course.
func (r *request) listen() *wireError {
	s := r.session
	if s.endpoint != nil {
		return internalError("there is no stream for a subscription")
	}
	wanted, err := r.readFilter()
	if err != nil {
		return err
	}
	l := &listen{
		exchange: exchange{session: s, to: r.later(), version: r.version},
		key:      envelope.Key(r.id), id: bytes.Clone(r.id), tools: wanted.tools, tasks: r.ownTasks(wanted.tasks), seen: s.tools.Generation(), who: r.access.Caller(),
	}
	if err := s.inFlight.await(l.who, len(l.tasks)); err != nil {
		return err
	}
	l.ctx, l.stop = context.WithCancel(s.callerContext(r.access))
	if err := s.subscribe(l, l.key); err != nil {
		l.stop()
		s.inFlight.Give(l.who, len(l.tasks))
		return err
	}
	s.subscribers.join(s)
	wire.Compose(l.note, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{`...)
		if l.tools {
			dst = append(dst, `"toolsListChanged":true`...)
		}
		if wanted.tasks != nil {
			dst = append(jsonwrite.Name(dst, "taskIds"), '[')
			for i := range l.tasks {
				dst = jsonwrite.String(jsonwrite.Comma(dst), l.tasks[i].ID)
			}
			dst = append(dst, ']')
		}
		return append(l.appendID(append(dst, '}')), `}}`...)
	})
	s.mu.Lock()
	l.acknowledged = true
	s.mu.Unlock()
	s.notifyChange() // of what changed in between
	for _, t := range l.tasks {
		go l.follow(t)
	}
	return nil
}

// filter is the notifications that a client subscribes to, as far as this server has them.
type filter struct {
	tools bool
	tasks []string // ids; nil if there was no such member
}

// readFilter reads the notifications that a client subscribes to.
func (r *request) readFilter() (wanted filter, err *wireError) {
	var given []byte
	wire.Members(r.params.Raw, func(name string, value []byte) {
		if name == "notifications" {
			given = value
		}
	})
	if jsonscan.KindOf(given) != jsonscan.Object {
		return wanted, invalidParams("params.notifications must be an object")
	}
	wire.Members(given, func(name string, value []byte) {
		switch kind := jsonscan.KindOf(value); name {
		case "toolsListChanged", "promptsListChanged", "resourcesListChanged":
			if kind != jsonscan.Bool {
				err = invalidParams("params.notifications." + name + " must be true or false")
			}
			if name == "toolsListChanged" {
				wanted.tools = string(value) == "true"
			}
		case "resourceSubscriptions":
			if kind != jsonscan.Array {
				err = invalidParams("params.notifications." + name + " must be an array")
			}
		case "taskIds":
			var bad *wireError
			if wanted.tasks, bad = r.readTaskIDs(value); bad != nil {
				err = bad
			}
		}
	})
	return wanted, err
}

// subscribe enrolls a request that is answered at its end, whenever that is.
func (s *Session) subscribe(p pending, key string) *wireError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listens >= s.limits.MaxSubscriptions {
		return internalError("too many subscriptions are open")
	}
	if err := s.enroll(key, p); err != nil {
		return err
	}
	s.listens++
	return nil
}

// appendID appends the member _meta with the id of the subscription.
func (l *listen) appendID(dst []byte) []byte {
	dst = append(jsonwrite.Name(dst, "_meta"), '{')
	dst = append(jsonwrite.Name(dst, wire.MetaSubscriptionID), l.id...)
	return append(dst, '}')
}

// announce notifies the client that the tools have changed.
func (l *listen) announce() {
	wire.Compose(l.note, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{`...)
		return append(l.appendID(dst), `}}`...)
	})
}

// cancelled implements [pending]: the client ends the subscription, and gets no answer.
func (l *listen) cancelled(string) {
	l.left()
	l.silence()
}

// abandoned implements [pending]: the server ends the subscription with its result, which also ends its stream if it
// has one of its own. On a connection with one stream for all messages the specification requires
// notifications/cancelled, too; clients ignore the second of these messages.
func (l *listen) abandoned() {
	l.left()
	s := l.session
	s.discharge(l.key, l)
	wire.Compose(func(msg []byte) { l.finish(msg, Served) }, func(dst []byte) []byte {
		meta := append(jsonwrite.Name(nil, wire.MetaSubscriptionID), l.id...)
		return wire.EndResponse(s.appendResultTail(append(wire.BeginResult(dst, l.id), '{'), l.version, meta))
	})
	if l.to != replier(s) {
		return
	}
	wire.Compose(s.send, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`...)
		return append(l.appendID(append(dst, l.id...)), `}}`...)
	})
}

// left gives back what l counts for in the limits, and stops following the tasks.
func (l *listen) left() {
	l.stop()
	l.session.unsubscribe()
	l.session.inFlight.Give(l.who, len(l.tasks))
}

// unsubscribe undoes subscribe.
func (s *Session) unsubscribe() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listens--
}

// readTaskIDs reads the ids of the tasks that a client subscribes to.
func (r *request) readTaskIDs(raw []byte) ([]string, *wireError) {
	if jsonscan.KindOf(raw) != jsonscan.Array {
		return nil, invalidParams("params.notifications.taskIds must be an array")
	}
	if !r.knowsTasks() {
		return nil, r.noExtension()
	}
	most := r.session.limits.MaxSubscriptions
	items, err := wire.Elements(raw, r.session.limits.MaxDepth, most+1)
	if err != nil || len(items) > most {
		return nil, invalidParams(fmt.Sprintf("params.notifications.taskIds has more than %d elements", most))
	}
	ids := []string{}
	for _, item := range items {
		if jsonscan.KindOf(item) != jsonscan.String {
			return nil, invalidParams("params.notifications.taskIds must be an array of strings")
		}
		ids = append(ids, wire.TextOf(item))
	}
	return ids, nil
}

// ownTasks returns those of the tasks that the caller may see.
func (r *request) ownTasks(ids []string) []task.Record {
	var own []task.Record
	ctx := r.session.callerContext(r.access)
	known := map[string]bool{}
	for _, id := range ids {
		rec, err := r.session.tasks.store.Get(ctx, id)
		if err == nil && r.owns(&rec) && !known[id] {
			known[id] = true
			own = append(own, rec)
		}
	}
	return own
}

// follow notifies the client of the state of a task, now and after each change that the client can see, until the task
// or the subscription has ended.
func (l *listen) follow(r task.Record) {
	defer contain.Panic(l.ctx, l.session.log, "task cannot be followed")
	changes := recordChanges{store: l.session.tasks.store}
	var last []byte // the last notification
	for {
		err := l.tell(&r, func(msg []byte) {
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
		next, err := changes.next(l.ctx, r.ID, r.Version)
		if err != nil {
			return // there is nothing more to send
		}
		r = next
	}
}

// tell delivers the notification with the state of a task. Before it writes a long result, it waits for the turn of the
// caller; the error is that of the subscription, if it ends before.
func (l *listen) tell(r *task.Record, deliver func(msg []byte)) error {
	turn, err := processor.CallerIn(l.ctx).Begin(len(r.Result))
	if err != nil {
		return err
	}
	defer turn.End()
	wire.Compose(func(msg []byte) {
		turn.End()
		deliver(msg)
	}, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/tasks","params":{`...)
		return append(l.appendID(wire.AppendTaskDetails(dst, r, l.version)), `}}`...)
	})
	return nil
}
