// Lists and watches of objects in memory: what an API server would serve, without one.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	coreinformers "k8s.io/client-go/informers/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	anpapi "sigs.k8s.io/network-policy-api/apis/v1alpha1"
	anpinformers "sigs.k8s.io/network-policy-api/pkg/client/informers/externalversions/apis/v1alpha1"
	anplisters "sigs.k8s.io/network-policy-api/pkg/client/listers/apis/v1alpha1"
)

// change is an object as it is now; without one, the object of that kind and key is deleted.
type change struct {
	Kind   string          `json:"kind"`
	Key    string          `json:"key"`
	Object json.RawMessage `json:"object"`
}

// decoded is a change that is ready to be seen: reading JSON is no part of an event.
type decoded struct {
	of   *source
	kind string
	key  string
	// nil: the object is deleted.
	now object
}

type object interface {
	runtime.Object
	metav1.Object
}

// source has the objects of one kind. Its watch is not bounded by the size of a change.
type source struct {
	mutex    sync.Mutex
	empty    func() object
	objects  map[string]object
	version  int
	watcher  *watch.FakeWatcher
	informer cache.SharedIndexInformer
}

const watchSize = 1 << 17

func newSource(empty func() object) *source {
	s := &source{empty: empty, objects: map[string]object{}, watcher: watch.NewFakeWithChanSize(watchSize, false)}
	byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	s.informer = cache.NewSharedIndexInformer(&cache.ListWatch{ListFunc: s.list, WatchFunc: s.watch}, empty(), 0, byNamespace)
	return s
}

func (s *source) list(metav1.ListOptions) (runtime.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := &metav1.List{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(s.version)}}
	for _, one := range s.objects {
		list.Items = append(list.Items, runtime.RawExtension{Object: one})
	}
	return list, nil
}

func (s *source) watch(options metav1.ListOptions) (watch.Interface, error) {
	if options.SendInitialEvents != nil {
		return nil, errors.New("objects are listed first")
	}
	return s.watcher, nil
}

// apply returns the object as it was; nil: there was none.
func (s *source) apply(key string, now object) object {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.version++
	before := s.objects[key]
	if now == nil {
		delete(s.objects, key)
		s.tell(func() { s.watcher.Delete(before) })
		return before
	}
	now.SetResourceVersion(strconv.Itoa(s.version))
	s.objects[key] = now
	if before == nil {
		s.tell(func() { s.watcher.Add(now) })
		return nil
	}
	s.tell(func() { s.watcher.Modify(now) })
	return before
}

// tell sends an event when there is an informer to read it: the objects before are in its list.
func (s *source) tell(send func()) {
	if s.informer.HasSynced() {
		send()
	}
}

type sources struct {
	byKind     map[string]*source
	pods       pods
	namespaces namespaces
	nodes      nodes
	anps       anps
	banps      banps
	// statuses takes the conditions that the controller writes; null before its start.
	statuses clienttesting.ObjectTracker
}

func newSources() *sources {
	s := &sources{
		pods:       pods{newSource(func() object { return &corev1.Pod{} })},
		namespaces: namespaces{newSource(func() object { return &corev1.Namespace{} })},
		nodes:      nodes{newSource(func() object { return &corev1.Node{} })},
		anps:       anps{newSource(func() object { return &anpapi.AdminNetworkPolicy{} })},
		banps:      banps{newSource(func() object { return &anpapi.BaselineAdminNetworkPolicy{} })},
	}
	s.byKind = map[string]*source{
		"Pod": s.pods.source, "Namespace": s.namespaces.source, "Node": s.nodes.source,
		"AdminNetworkPolicy": s.anps.source, "BaselineAdminNetworkPolicy": s.banps.source,
	}
	return s
}

func (s *sources) decode(one change) decoded {
	of, known := s.byKind[one.Kind]
	if !known {
		panic(fmt.Sprintf("%s is of no kind that the controller reads", one.Kind))
	}
	as := decoded{of: of, kind: one.Kind, key: one.Key}
	if len(one.Object) > 0 && string(one.Object) != "null" {
		as.now = of.empty()
		must(json.Unmarshal(one.Object, as.now))
	}
	return as
}

func (s *sources) apply(one decoded) {
	before := one.of.apply(one.key, one.now)
	if s.statuses == nil || one.kind != "AdminNetworkPolicy" {
		return
	}
	resource := anpapi.SchemeGroupVersion.WithResource("adminnetworkpolicies")
	switch {
	case one.now == nil:
		must(s.statuses.Delete(resource, "", before.GetName()))
	case before == nil:
		must(s.statuses.Create(resource, one.now.DeepCopyObject(), ""))
	}
}

func (s *sources) policies() []runtime.Object {
	var all []runtime.Object
	for _, of := range []*source{s.anps.source, s.banps.source} {
		for _, one := range of.objects {
			all = append(all, one.DeepCopyObject())
		}
	}
	return all
}

func (s *sources) run(stop <-chan struct{}) {
	for _, of := range s.byKind {
		go of.informer.Run(stop)
	}
}

func (s *sources) synced() bool {
	for _, of := range s.byKind {
		if !of.informer.HasSynced() {
			return false
		}
	}
	return true
}

type pods struct{ *source }
type namespaces struct{ *source }
type nodes struct{ *source }
type anps struct{ *source }
type banps struct{ *source }

func (s *source) Informer() cache.SharedIndexInformer { return s.informer }

func (p pods) Lister() corelisters.PodLister {
	return corelisters.NewPodLister(p.informer.GetIndexer())
}
func (n namespaces) Lister() corelisters.NamespaceLister {
	return corelisters.NewNamespaceLister(n.informer.GetIndexer())
}
func (n nodes) Lister() corelisters.NodeLister {
	return corelisters.NewNodeLister(n.informer.GetIndexer())
}
func (a anps) Lister() anplisters.AdminNetworkPolicyLister {
	return anplisters.NewAdminNetworkPolicyLister(a.informer.GetIndexer())
}
func (b banps) Lister() anplisters.BaselineAdminNetworkPolicyLister {
	return anplisters.NewBaselineAdminNetworkPolicyLister(b.informer.GetIndexer())
}

var (
	_ coreinformers.PodInformer                       = pods{}
	_ coreinformers.NamespaceInformer                 = namespaces{}
	_ coreinformers.NodeInformer                      = nodes{}
	_ anpinformers.AdminNetworkPolicyInformer         = anps{}
	_ anpinformers.BaselineAdminNetworkPolicyInformer = banps{}
)
