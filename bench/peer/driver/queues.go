// Whether the controller has anything left to do, from its queues' own metrics: what was added and is not finished.
package main

import (
	"math"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// queues counts over all queues. An item that is added while it is worked on is counted when it is put into the queue again.
type queues struct {
	waiting atomic.Int64
	working atomic.Int64
	retries atomic.Int64
	// The bits of CLOCK_MONOTONIC in milliseconds at which a queue last did anything.
	moved atomic.Uint64
}

func (q *queues) touch() { q.moved.Store(math.Float64bits(monotonicMs())) }

func (q *queues) quietAt() float64 { return math.Float64frombits(q.moved.Load()) }

func (q *queues) quietFor(still time.Duration) bool {
	idle := q.waiting.Load() == 0 && q.working.Load() == 0
	return idle && monotonicMs()-q.quietAt() >= float64(still.Milliseconds())
}

// depth goes up when an item comes into a queue and down when a worker takes it.
type depth struct{ *queues }

func (d depth) Inc() { d.waiting.Add(1); d.touch() }
func (d depth) Dec() { d.working.Add(1); d.waiting.Add(-1); d.touch() }

type done struct{ *queues }

func (d done) Observe(float64) { d.working.Add(-1); d.touch() }

type retried struct{ *queues }

func (r retried) Inc() { r.retries.Add(1); r.touch() }

type ignored struct{}

func (ignored) Inc()            {}
func (ignored) Set(float64)     {}
func (ignored) Observe(float64) {}

func (q *queues) NewDepthMetric(string) workqueue.GaugeMetric            { return depth{q} }
func (q *queues) NewWorkDurationMetric(string) workqueue.HistogramMetric { return done{q} }
func (q *queues) NewRetriesMetric(string) workqueue.CounterMetric        { return retried{q} }
func (q *queues) NewAddsMetric(string) workqueue.CounterMetric           { return ignored{} }
func (q *queues) NewLatencyMetric(string) workqueue.HistogramMetric      { return ignored{} }
func (q *queues) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return ignored{}
}
func (q *queues) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return ignored{}
}
