import { matchRoutes } from "./address.ts";
import { type Operation, operations } from "./operations.ts";

export interface Match {
  readonly operation: Operation;
  readonly params: { readonly [name: string]: string };
}

/** The operations a path can mean, whatever the method; null when a segment is not well encoded. */
export const matchPath = (pathname: string): Match[] | null =>
  matchRoutes(pathname)?.map(({ name, params }) => ({ operation: operations[name], params })) ?? null;
