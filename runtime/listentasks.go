package runtime

import (
	"bytes"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// readTaskIDs reads which tasks a client wants to hear of.
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

// ownTasks returns those of the tasks that are there for the caller.
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

// follow tells the client of a task: how it is, and each time that it has changed for the client, until it has
// ended or the subscription has.
func (l *listen) follow(r task.Record) {
	defer contain.Panic(l.ctx, l.session.log, "task cannot be followed")
	changes := recordChanges{store: l.session.tasks.store}
	var last []byte // what the client was told last
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
			return // there is no more to tell
		}
		r = next
	}
}

// tell delivers the notification of how a task is. To write a long result it waits for the turn of the caller; the error
// is that of the subscription, if it ends before.
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
