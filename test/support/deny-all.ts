// A manifest of one policy beside those of an example.

export const denyAllManifest = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: { name: second }
spec:
  priority: 90
  subject: { namespaces: {} }
  ingress: [{ name: all, action: Deny, from: [{ namespaces: {} }] }]
`;
