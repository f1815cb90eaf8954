/** Limits concurrent operations in a process, so that no platform uses up the capacity of the others. */
export interface CapacityGate {
  /**
   * Throws 503 `UNAVAILABLE` if too many operations are waiting. Called before any work is done for a
   * request.
   */
  admit(platformId?: string): void
  /** Runs an operation of a platform once there is capacity. Throws 503 `UNAVAILABLE` like `admit`. */
  run<T>(platformId: string, work: () => Promise<T>): Promise<T>
}
