/** Limits concurrent operations in a process, so that no platform takes the others' capacity. */
export interface CapacityGate {
  /** Throws 503 `UNAVAILABLE` if too many operations wait. Called before any work is done for a request. */
  admit(platformId?: string): void
  /** Runs one platform's operation once there is capacity. Throws 503 `UNAVAILABLE` as above. */
  run<T>(platformId: string, work: () => Promise<T>): Promise<T>
}
