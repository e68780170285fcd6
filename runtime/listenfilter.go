package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// filter is the set of notifications that a client subscribes to.
type filter struct {
	lists     notify.Set
	tasks     []string // ids; nil if the member was missing
	resources []string // URIs; nil if the member was missing
}

// readFilter reads the notifications that a client subscribes to. Unknown members are ignored.
func (r *request) readFilter() (wanted filter, err *wireError) {
	var given []byte
	wire.Members(r.params.Raw, func(name string, value []byte) {
		if name == "notifications" {
			given = value
		}
	})
	if rawjson.KindOf(given) != rawjson.Object {
		return wanted, invalidParams("params.notifications must be an object")
	}
	wire.Members(given, func(name string, value []byte) {
		if bad := r.readFilterMember(&wanted, name, value); bad != nil {
			err = bad
		}
	})
	return wanted, err
}

// readFilterMember reads one member of the notifications.
func (r *request) readFilterMember(wanted *filter, name string, value []byte) (err *wireError) {
	switch name {
	case "resourceSubscriptions":
		wanted.resources, err = r.readResourceURIs(value)
		return err
	case "taskIds":
		wanted.tasks, err = r.readTaskIDs(value)
		return err
	}
	for k := range notify.Lists {
		if name != notify.List(k).ChangedMember() {
			continue
		}
		if rawjson.KindOf(value) != rawjson.Bool {
			return invalidParams("params.notifications." + name + " must be true or false")
		}
		wanted.lists[k] = string(value) == "true"
	}
	return nil
}

// readResourceURIs reads the URIs of the resources that a client subscribes to.
func (r *request) readResourceURIs(raw []byte) ([]string, *wireError) {
	uris, err := r.readTexts("resourceSubscriptions", raw)
	if err != nil {
		return nil, err
	}
	for _, uri := range uris {
		if len(uri) > notify.MaxURI {
			return nil, invalidParams(fmt.Sprintf("params.notifications.resourceSubscriptions has a URI of more than %d bytes", notify.MaxURI))
		}
	}
	return uris, nil
}

// readTaskIDs reads the ids of the tasks that a client subscribes to.
func (r *request) readTaskIDs(raw []byte) ([]string, *wireError) {
	if rawjson.KindOf(raw) == rawjson.Array && !r.knowsTasks() {
		return nil, r.noExtension()
	}
	return r.readTexts("taskIds", raw)
}

// readTexts reads a member of the notifications that is an array of strings. The result is not nil.
func (r *request) readTexts(name string, raw []byte) ([]string, *wireError) {
	name = "params.notifications." + name
	if rawjson.KindOf(raw) != rawjson.Array {
		return nil, invalidParams(name + " must be an array")
	}
	most := r.from.limits.MaxSubscriptions
	items, err := wire.Elements(raw, r.from.limits.MaxDepth, most+1)
	if err != nil || len(items) > most {
		return nil, invalidParams(fmt.Sprintf("%s has more than %d elements", name, most))
	}
	texts := []string{}
	for _, item := range items {
		if rawjson.KindOf(item) != rawjson.String {
			return nil, invalidParams(name + " must be an array of strings")
		}
		texts = append(texts, wire.TextOf(item))
	}
	return texts, nil
}

// ownTasks returns the ids of the tasks that the caller may see. All lookups together may take the time of one store
// method, and one record is in memory at a time.
func (r *request) ownTasks(ids []string) (own []string, err *wireError) {
	ctx, cancel := context.WithTimeout(r.store, storeTime)
	defer cancel()
	known := map[string]bool{}
	for _, id := range ids {
		if known[id] {
			continue
		}
		known[id] = true
		rec, err := r.from.tasks.store.Get(ctx, id)
		r.store.release()
		switch {
		case errors.Is(err, task.ErrNotFound):
		case err != nil:
			return nil, r.taskTrouble(err)
		case r.owns(&rec):
			own = append(own, id)
		}
	}
	return own, nil
}
