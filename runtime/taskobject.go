package runtime

import (
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/task"
)

// metaRelatedTask is the member of _meta by which messages of revision 2025-11-25 say that they
// belong to a task.
const metaRelatedTask = envelope.MetaPrefix + "related-task"

// taskTime is how times are written: ISO 8601, in UTC.
const taskTime = "2006-01-02T15:04:05.000Z"

// appendTask appends the members of a task, into an object that is open.
func appendTask(dst []byte, r *task.Record, v version) []byte {
	dst = appendText(dst, "taskId", r.ID)
	dst = appendText(dst, "status", string(r.Status))
	dst = appendSaidOptional(dst, "statusMessage", r.Message)
	dst = appendText(dst, "createdAt", r.Created.UTC().Format(taskTime))
	dst = appendText(dst, "lastUpdatedAt", r.Updated.UTC().Format(taskTime))
	ttl, poll := "ttl", "pollInterval"
	if v.has(perRequest) {
		ttl, poll = "ttlMs", "pollIntervalMs"
	}
	dst = appendMillis(dst, ttl, r.TTL)
	return appendMillis(dst, poll, r.PollInterval)
}

func appendMillis(dst []byte, name string, d time.Duration) []byte {
	return strconv.AppendInt(jsonwrite.Name(dst, name), max(d.Milliseconds(), 1), 10)
}

// appendDetails appends the members of a task together with what its status brings, as clients of
// the extension see it.
func appendDetails(dst []byte, r *task.Record, v version) []byte {
	dst = appendTask(dst, r, v)
	switch {
	case r.Error != nil:
		dst = append(jsonwrite.Name(dst, "error"), r.Error...)
	case r.Result != nil:
		dst = append(jsonwrite.Name(dst, "result"), r.Result...)
	case r.Status == task.InputRequired:
		dst = append(jsonwrite.Name(dst, "inputRequests"), '{')
		for _, in := range r.Inputs {
			if in.Answer == nil {
				dst = append(append(jsonwrite.String(jsonwrite.Comma(dst), in.Key), ':'), in.Request...)
			}
		}
		dst = append(dst, '}')
	}
	return dst
}

// appendCreated appends the result of a call that has become a task.
func (c *core) appendCreated(dst []byte, r *task.Record, v version) []byte {
	if v.has(perRequest) {
		return c.appendTail(appendTask(append(dst, '{'), r, v), []byte(`"task"`), v, nil)
	}
	dst = append(appendTask(append(dst, `{"task":{`...), r, v), '}')
	return c.appendResultTail(dst, v, relatedTask(r.ID))
}

// relatedTask returns the member of _meta that says to which task a message belongs.
func relatedTask(id string) []byte {
	dst := append(jsonwrite.Name(nil, metaRelatedTask), '{')
	return append(appendText(dst, "taskId", id), '}')
}

// appendRelated appends the _meta of a message that the call sends, if it is a task and says so.
func (c *call) appendRelated(dst []byte) []byte {
	run := c.extras().taskRun()
	if run == nil || c.version.has(perRequest) {
		return dst
	}
	dst = append(jsonwrite.Name(dst, "_meta"), '{')
	return append(append(dst, relatedTask(run.id)...), '}')
}
