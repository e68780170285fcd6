package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	natsjs "github.com/nats-io/nats.go/jetstream"
)

// streams are the streams of a server.
type streams struct {
	records   natsjs.Stream // one message per task
	parts     natsjs.Stream // the large members of records
	durable   natsjs.Stream // one message per running durable task, and one for its lease
	instances natsjs.Stream // one message per instance
}

// clusterReplicas is the default number of replicas in a cluster: it tolerates the failure of one node.
const clusterReplicas = 3

// openStreams opens the streams. It creates missing ones unless opts.Existing is set. While the cluster has no leader
// or too few nodes, it retries until ctx ends.
func openStreams(ctx context.Context, l *link, n names, opts *Options) (*streams, error) {
	replicas := opts.Replicas
	if replicas == 0 && !opts.Existing {
		if replicas = 1; l.nc.ConnectedClusterName() != "" {
			replicas = clusterReplicas
		}
	}
	var all streams
	for _, one := range []struct {
		stream  *natsjs.Stream
		suffix  string
		subject string
		ttl     bool
	}{
		{&all.records, "records", n.records(), true},
		{&all.parts, "parts", n.parts(), true},
		{&all.durable, "durable", n.durables(), true},
		{&all.instances, "instances", n.instances(), false},
	} {
		want := natsjs.StreamConfig{
			Name: n.prefix + "-" + one.suffix, Subjects: []string{one.subject}, Description: "tasks of the MCP server " + n.prefix,
			Storage: natsjs.FileStorage, Replicas: replicas, MaxMsgsPerSubject: 1, Discard: natsjs.DiscardNew, AllowMsgTTL: one.ttl,
		}
		var err error
		if *one.stream, err = openStream(ctx, l, &want, opts.Existing); err != nil {
			return nil, err
		}
	}
	return &all, nil
}

// openStream opens a stream, or creates it unless it must exist. Another instance may create it at the same time.
func openStream(ctx context.Context, l *link, want *natsjs.StreamConfig, existing bool) (stream natsjs.Stream, err error) {
	var missing error
	err = untilReady(ctx, func() (err error) {
		stream, err = retry(ctx, l, func(ctx context.Context) (natsjs.Stream, error) {
			stream, err := l.js.Stream(ctx, want.Name)
			if errors.Is(err, natsjs.ErrStreamNotFound) && !existing {
				stream, err = l.js.CreateStream(ctx, *want)
			}
			return stream, err
		})
		if existing && errors.Is(err, natsjs.ErrStreamNotFound) {
			missing, err = err, nil
		}
		return err
	})
	switch {
	case missing != nil:
		return nil, fmt.Errorf("jetstream: stream %q: %w: it does not exist; is Options.Name right?", want.Name, ErrStream)
	case err != nil:
		return nil, fmt.Errorf("jetstream: stream %q with %d replicas: %w", want.Name, want.Replicas, err)
	}
	got := stream.CachedInfo().Config
	if want.Replicas == 0 {
		want.Replicas = got.Replicas
	}
	return stream, checkStream(got, want)
}

// temporary reports whether an attempt to open or use a new stream may succeed later. Another node of a cluster may not
// know the stream yet.
func temporary(err error) bool {
	var api *natsjs.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode {
		case codeNoPeers, codeResources, natsjs.JSErrCodeStreamNameInUse, natsjs.JSErrCodeStreamNotFound:
			return true
		default:
		}
	}
	return errors.Is(err, ErrUnavailable)
}

// checkStream returns an error that lists the differences from the required configuration.
func checkStream(got natsjs.StreamConfig, want *natsjs.StreamConfig) error {
	var differ []string
	check := func(name string, ok bool, got, want any) {
		if !ok {
			differ = append(differ, fmt.Sprintf("%s is %v, want %v", name, got, want))
		}
	}
	check("subjects", strings.Join(got.Subjects, " ") == want.Subjects[0], got.Subjects, want.Subjects)
	check("storage", got.Storage == want.Storage, got.Storage, want.Storage)
	check("replicas", got.Replicas == want.Replicas, got.Replicas, want.Replicas)
	check("retention", got.Retention == want.Retention, got.Retention, want.Retention)
	check("discard", got.Discard == want.Discard, got.Discard, want.Discard)
	check("max_msgs_per_subject", got.MaxMsgsPerSubject == 1, got.MaxMsgsPerSubject, 1)
	check("max_age", got.MaxAge == 0, got.MaxAge, 0)
	check("allow_msg_ttl", got.AllowMsgTTL == want.AllowMsgTTL, got.AllowMsgTTL, want.AllowMsgTTL)
	check("allow_direct", !got.AllowDirect, got.AllowDirect, false)
	check("deny_purge", !got.DenyPurge, got.DenyPurge, false)
	check("no_ack", !got.NoAck, got.NoAck, false)
	check("persist_mode", got.PersistMode == want.PersistMode, got.PersistMode, want.PersistMode)
	if differ == nil {
		return nil
	}
	hint := "change the stream (nats stream edit), or set Options.Name to a name that is not in use"
	if !got.AllowMsgTTL && want.AllowMsgTTL {
		hint += "; allow_msg_ttl needs NATS server 2.11 or newer"
	}
	return fmt.Errorf("jetstream: stream %q: %w: %s; %s", want.Name, ErrStream, strings.Join(differ, "; "), hint)
}
