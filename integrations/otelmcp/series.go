package otelmcp

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcptool-go/mcptool/runtime/observe"
)

// seriesKey identifies operations with the same attributes. Clients cannot make up its values.
type seriesKey struct {
	kind                            observe.Kind
	targetKind                      observe.TargetKind
	transport                       observe.Transport
	method, target, protocolVersion string
}

// series is the operations with the same attributes.
type series struct {
	key            seriesKey
	name           string                  // of spans
	start          []trace.SpanStartOption // their kind
	spanAttributes []attribute.KeyValue    // of spans
	histogram      metric.Float64Histogram // nil if the conventions have no metric for the kind
	attributes     []attribute.KeyValue    // of measurements, without the error

	ok []metric.RecordOption // attributes of a measurement without an error

	mu     sync.Mutex
	failed map[string][]metric.RecordOption // by error.type; guarded by mu
}

// seriesCache has a series for each key.
type seriesCache struct {
	histograms histograms
	last       atomic.Pointer[series] // the next operation is often of the same
	mu         sync.RWMutex
	byKey      map[seriesKey]*series
}

// maxSeries is the number of series at which the cache begins anew: tools can come and go.
const maxSeries = 4096

// of returns the series of an operation.
func (c *seriesCache) of(op *observe.Operation) *series {
	key := seriesKey{op.Kind, op.TargetKind, op.Transport, op.Method, op.Target, op.ProtocolVersion}
	if s := c.last.Load(); s != nil && s.key == key {
		return s
	}
	c.mu.RLock()
	s := c.byKey[key]
	c.mu.RUnlock()
	if s != nil {
		c.last.Store(s)
		return s
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.byKey[key]; s != nil {
		return s
	}
	if c.byKey == nil || len(c.byKey) == maxSeries {
		c.byKey = map[seriesKey]*series{}
	}
	s = newSeries(op)
	s.key, s.histogram, c.byKey[key] = key, c.histograms[op.Kind], s
	return s
}

func newSeries(op *observe.Operation) *series {
	s := &series{failed: map[string][]metric.RecordOption{}}
	if op.Kind != observe.KindSession {
		method := op.Method
		if method == "" {
			method = other
		}
		s.name = method
		s.attributes = append(s.attributes, keyMethod.String(method))
	}
	kind := trace.SpanKindServer
	switch op.Kind {
	case observe.KindClientRequest:
		kind = trace.SpanKindClient
	case observe.KindTask:
		kind, s.name = trace.SpanKindInternal, executeTool
	default:
	}
	s.addTarget(op)
	s.addProtocol(op)
	s.start, s.spanAttributes = []trace.SpanStartOption{trace.WithSpanKind(kind)}, slices.Clone(s.attributes)
	if op.TargetKind == observe.TargetKindResource && kind == trace.SpanKindServer {
		s.spanAttributes = append(s.spanAttributes, keyResource.String(op.Target))
	}
	s.ok = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(slices.Clone(s.attributes)...))}
	return s
}

// addTarget adds the tool or prompt of the message. A request to the client has none.
func (s *series) addTarget(op *observe.Operation) {
	if op.Target == "" || op.Kind == observe.KindClientRequest {
		return
	}
	switch op.TargetKind {
	case observe.TargetKindTool:
		s.name += " " + op.Target
		s.attributes = append(s.attributes, keyTool.String(op.Target))
		if op.Method == "tools/call" {
			s.attributes = append(s.attributes, keyOperation.String(executeTool))
		}
	case observe.TargetKindPrompt:
		s.name += " " + op.Target
		s.attributes = append(s.attributes, keyPrompt.String(op.Target))
	case observe.TargetKindNone, observe.TargetKindResource:
	}
}

// addProtocol adds the revision and the transport.
func (s *series) addProtocol(op *observe.Operation) {
	if op.ProtocolVersion != "" {
		s.attributes = append(s.attributes, keyProtocol.String(op.ProtocolVersion))
	}
	switch op.Transport {
	case observe.TransportStdio:
		s.attributes = append(s.attributes, keyTransport.String(transportPipe))
	case observe.TransportHTTP1, observe.TransportHTTP2, observe.TransportHTTP3:
		transport := transportTCP
		if op.Transport == observe.TransportHTTP3 {
			transport = transportQUIC
		}
		version := strings.TrimPrefix(op.Transport.String(), "http/")
		s.attributes = append(s.attributes, keyTransport.String(transport), keyNetwork.String(networkHTTP), keyNetworkVersion.String(version))
	case observe.TransportOther:
	}
}

// recordOptions returns the attributes of a measurement.
func (s *series) recordOptions(result *observe.Result, failure string) []metric.RecordOption {
	if failure == "" {
		return s.ok
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if made := s.failed[failure]; made != nil {
		return made
	}
	all := append(slices.Clip(s.attributes), keyErrorType.String(failure))
	if failure != other && result.ErrorCode != 0 {
		all = append(all, keyStatusCode.String(failure))
	}
	s.failed[failure] = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(all...))}
	return s.failed[failure]
}

// histograms are the instruments, by kind of operation.
type histograms map[observe.Kind]metric.Float64Histogram

func newHistograms(meter metric.Meter) histograms {
	made := func(name, use string) metric.Float64Histogram {
		h, err := meter.Float64Histogram(name, metric.WithDescription(use), metric.WithUnit(unitSeconds), metric.WithExplicitBucketBoundaries(buckets()...))
		if err != nil {
			otel.Handle(err)
		}
		return h
	}
	server := made(serverOperation, serverOperationUse)
	return histograms{
		observe.KindRequest: server, observe.KindNotification: server,
		observe.KindClientRequest: made(clientOperation, clientOperationUse),
		observe.KindSession:       made(serverSession, serverSessionUse),
	}
}
