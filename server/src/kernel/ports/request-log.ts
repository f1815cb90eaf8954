/** The requests of this process that the request log has not written yet. */
export interface WaitingRequests {
  /** Writes what waits. */
  flush(): Promise<void>
  /** How many requests were dropped since the process began. */
  readonly dropped: number
}
