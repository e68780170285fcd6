package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// filter is the set of notifications that a client subscribes to.
type filter struct {
	lists     notify.Set
	tasks     []string // ids; nil if the member was missing
	resources []string // URIs; nil if the member was missing
}

// readFilter returns the notifications that a client subscribes to.
func readFilter(r *request) (wanted filter, err *wireError) {
	given := rawjson.Lookup(r.params.Raw, "notifications")
	if rawjson.KindOf(given) != rawjson.Object {
		return wanted, invalidParams("params.notifications must be an object")
	}
	wire.Members(given, func(name string, value []byte) {
		if bad := wanted.read(r, name, value); bad != nil {
			err = bad
		}
	})
	return wanted, err
}

// read reads one member of the notifications of r. Unknown members are ignored.
func (f *filter) read(r *request, name string, value []byte) (err *wireError) {
	switch name {
	case "resourceSubscriptions":
		if f.resources, err = readTexts(name, value, &r.from.limits); err != nil {
			return err
		}
		if slices.ContainsFunc(f.resources, func(uri string) bool { return len(uri) > notify.MaxURI }) {
			return invalidParams(fmt.Sprintf("params.notifications.resourceSubscriptions has a URI of more than %d bytes", notify.MaxURI))
		}
		return nil
	case "taskIds":
		if rawjson.KindOf(value) == rawjson.Array {
			if err := r.requireExtension(tasksExtension); err != nil {
				return err
			}
		}
		if f.tasks, err = readTexts(name, value, &r.from.limits); r.from.tasks == nil {
			f.tasks = nil
		}
		return err
	}
	for k := range notify.Lists {
		if name != notify.List(k).ChangedMember() {
			continue
		}
		if rawjson.KindOf(value) != rawjson.Bool {
			return invalidParams("params.notifications." + name + " must be true or false")
		}
		f.lists[k] = string(value) == "true"
	}
	return nil
}

// readTexts reads a member of the notifications that is an array of strings. The result is not nil.
func readTexts(name string, raw []byte, limits *limits) ([]string, *wireError) {
	name = "params.notifications." + name
	if rawjson.KindOf(raw) != rawjson.Array {
		return nil, invalidParams(name + " must be an array")
	}
	most := limits.MaxSubscriptions
	items, err := wire.Elements(raw, limits.MaxDepth, most+1)
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
func ownTasks(r *request, ids []string) (own []string, err *wireError) {
	ctx, cancel := context.WithTimeout(r.store, taskengine.StoreTime)
	defer cancel()
	known := map[string]bool{}
	for _, id := range ids {
		if known[id] {
			continue
		}
		known[id] = true
		rec, err := r.from.tasks.Store().Get(ctx, id)
		r.store.Release()
		switch {
		case errors.Is(err, task.ErrNotFound):
		case err != nil:
			return nil, taskTrouble(r.from, err)
		case ownsTask(r, &rec):
			own = append(own, id)
		}
	}
	return own, nil
}
