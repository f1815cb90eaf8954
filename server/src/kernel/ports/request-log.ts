/** The requests of this process that the request log has not written yet. */
export interface WaitingRequests {
  /** Writes the queued requests. */
  flush(): Promise<void>
  /** The number of requests dropped since the process started. */
  readonly dropped: number
}
