import { UsageError } from "../runtime/failure.ts";
import type { ServiceManager, ServicePlace } from "./definition.ts";
import { createLaunchd } from "./launchd.ts";
import { createSystemd } from "./systemd.ts";
import { createTaskScheduler } from "./task-scheduler.ts";

export function getServiceManager(place: ServicePlace): ServiceManager {
  if (place.platform === "linux") return createSystemd(place);
  if (place.isSystem) throw new UsageError("--system is for systemd; drop it");
  if (place.platform === "darwin") return createLaunchd(place);
  if (place.platform === "win32") return createTaskScheduler(place);
  throw new UsageError(
    `pdpp cannot install a service on ${place.platform}; start pdpp serve with the system's own tools`,
  );
}
