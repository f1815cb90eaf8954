/** Limits how many operations a process does at a time, so that no platform takes the others' capacity. */
export interface CapacityGate {
  /** Error: 503 `UNAVAILABLE` if too many operations wait already. Called before any work is done for a request. */
  checkRoom(platformId?: string): void
  /** Runs the work of one platform's operation once there is room. Error: 503 `UNAVAILABLE` as above. */
  run<T>(platformId: string, work: () => Promise<T>): Promise<T>
}
