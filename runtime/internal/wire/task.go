package wire

import (
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/task"
)

// metaRelatedTask is the member of _meta that names the task of a message of revision 2025-11-25.
const metaRelatedTask = envelope.MetaPrefix + "related-task"

// taskTime is the format of the times of tasks: ISO 8601, in UTC.
const taskTime = "2006-01-02T15:04:05.000Z"

// AppendTask appends the members of a task to an open object.
func AppendTask(dst []byte, r *task.Record, v Version) []byte {
	dst = AppendText(dst, "taskId", r.ID)
	dst = AppendText(dst, "status", string(r.Status))
	dst = Redactor(nil).AppendOptional(dst, "statusMessage", r.Message) // redacted before it was stored
	dst = AppendText(dst, "createdAt", r.Created.UTC().Format(taskTime))
	dst = AppendText(dst, "lastUpdatedAt", r.Updated.UTC().Format(taskTime))
	ttl, poll := "ttl", "pollInterval"
	if v.Has(PerRequest) {
		ttl, poll = "ttlMs", "pollIntervalMs"
	}
	dst = appendMillis(dst, ttl, r.TTL)
	return appendMillis(dst, poll, r.PollInterval)
}

func appendMillis(dst []byte, name string, d time.Duration) []byte {
	return strconv.AppendInt(rawjson.AppendName(dst, name), max(d.Milliseconds(), 1), 10)
}

// AppendTaskDetails appends the members of a task, including those that depend on its status, in the form of the
// extension for tasks.
func AppendTaskDetails(dst []byte, r *task.Record, v Version) []byte {
	dst = AppendTask(dst, r, v)
	switch {
	case r.Error != nil:
		dst = append(rawjson.AppendName(dst, "error"), r.Error...)
	case r.Result != nil:
		dst = append(rawjson.AppendName(dst, "result"), r.Result...)
	case r.Status == task.StatusInputRequired:
		dst = append(rawjson.AppendName(dst, "inputRequests"), '{')
		for _, in := range r.Inputs {
			if in.Answer == nil {
				dst = append(append(rawjson.AppendString(rawjson.AppendComma(dst), in.Key), ':'), in.Request...)
			}
		}
		dst = append(dst, '}')
	}
	return dst
}

// RelatedTask returns the member of _meta that names the task of a message.
func RelatedTask(id string) []byte {
	dst := append(rawjson.AppendName(nil, metaRelatedTask), '{')
	return append(AppendText(dst, "taskId", id), '}')
}
